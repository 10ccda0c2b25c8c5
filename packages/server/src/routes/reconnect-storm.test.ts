import type { Device } from '@holdpoint/schema/device'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it, vi } from 'vitest'
import { createPartialTexts } from '../stream/partial-texts.ts'
import { serveEvents } from '../stream/sse.ts'

const CLIENTS = LONG ? 2000 : 200

it('F33 writes each ask and session down once, however many clients come at once', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using test = await startTestGateway()
  const { agent, session } = await test.session()
  for (let n = 0; n < 50; n++) agent.ask({ requestId: `storm-${n}` }).catch(() => {})
  await until(() => test.gateway.ledger.views().get(session.id)?.asks.size === 50, 'the asks')
  const written = vi.spyOn(JSON, 'stringify')
  const device = { id: 'dev', role: 'owner' } as unknown as Device
  const leaving = new AbortController()
  const texts: string[] = []
  const { ledger, fanOut } = test.gateway
  const deps = {
    ledger,
    fanOut,
    store: test.store,
    partialTexts: createPartialTexts(),
    askNotices: { of: () => undefined },
  }
  for (let n = 0; n < CLIENTS; n++) {
    const out = {
      write: (text: string) => void texts.push(text),
      writable: true,
      ready: () => Promise.resolve(),
      onDrain: () => {},
      end: () => {},
      destroy: () => {},
    }
    void serveEvents(deps, { out, device, signal: leaving.signal })
  }
  const calls = written.mock.calls.length
  written.mockRestore()
  leaving.abort()
  expect(texts).toHaveLength(CLIENTS)
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]?.split('"requestId":"storm-')).toHaveLength(51)
  // Fifty asks and a session; nothing for each client.
  expect(calls).toBeLessThanOrEqual(51)
  report(`F33: ${CLIENTS} clients, ${calls} texts written`)
})
