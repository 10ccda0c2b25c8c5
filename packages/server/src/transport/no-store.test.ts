import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { somethingForEveryRoute } from '@holdpoint/testing/unsafe-calls'
import { expect, it } from 'vitest'

const UPGRADE = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }

it('T64 lets no browser keep a reply of any route, nor a refusal', async () => {
  await using test = await startTestGateway()
  const { routes, url } = test.gateway
  const at = await somethingForEveryRoute(test, 'bearer')
  const ids: Readonly<Record<string, string>> = {
    '/api/sessions/:id': at.session.id,
    '/api/asks/:id': at.ask.id,
    '/permission/:requestId': at.ask.id,
  }
  const pathOf = (pattern: string) => {
    const [known] = Object.entries(ids).filter(([start]) => pattern.startsWith(start))
    return (known ? pattern.replace(...known) : pattern).replaceAll(/:\w+/g, 'unknown')
  }
  const reads = routes.filter(({ method }) => method === 'GET')
  const found: string[] = []
  const statuses = new Set<number>()
  const look = async (name: string, request: Parameters<typeof sendRaw>[1]) => {
    const reply = await sendRaw(url, request)
    statuses.add(reply?.status ?? 0)
    if (!/^cache-control: no-store\r?$/im.test(reply?.head ?? '')) found.push(`${name}: ${reply?.head}`)
  }
  for (const { path } of reads) {
    const stream = { accept: 'text/event-stream' }
    await look(`GET ${path}`, { path: pathOf(path), headers: at.owner.headers })
    await look(`GET ${path}, as a stream`, { path: pathOf(path), headers: { ...stream, ...at.owner.headers } })
    await look(`GET ${path}, by nobody`, { path: pathOf(path) })
  }
  await look('an address that does not exist', { path: '/api/nothing', headers: at.owner.headers })
  await look('an upgrade by nobody', { path: '/api/stream', headers: UPGRADE })
  await look('no HTTP', { method: 'GET GET', path: '/' })
  expect(found).toEqual([])
  expect([...statuses].sort()).toEqual([200, 400, 401, 404, 422])
  expect(reads.length).toBeGreaterThan(20)
})
