import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const PATHS = [
  '/',
  '//evil.example/',
  '///evil.example/',
  '/\\evil.example/',
  '/%2f%2fevil.example/',
  '/.evil.example',
  '/@evil.example',
  '/?next=//evil.example',
  '/%0d%0alocation:%20http://evil.example/',
  'http://evil.example/',
  'https:evil.example/',
]

it('T52 sends nobody away from the gateway’s own address, whatever the path says', async () => {
  await using test = await startTestGateway()
  const own = new URL(test.gateway.url)
  const targets: string[] = []
  for (const host of [own.host, `localhost:${own.port}`]) {
    const replies = await Promise.all(PATHS.map((path) => sendRaw(test.gateway.url, { path, hosts: [host] })))
    for (const reply of replies) {
      const named = [...(reply?.head ?? '').matchAll(/^location: *(.*)\r$/gim)]
      // A target without an origin leads to the name that the browser asked for.
      targets.push(...named.map(([, target = '']) => new URL(target, `http://${host}`).origin))
    }
  }
  // The name `localhost` is sent to the address: without one such reply nothing was tried.
  expect(targets.length).toBeGreaterThan(0)
  expect(new Set(targets)).toEqual(new Set([own.origin]))
})
