import { createInteractions } from '@holdpoint/client/interactions'
import { type Transport, TransportFault } from '@holdpoint/client/transport'
import { expect, it, vi } from 'vitest'
import { interactingOf } from './interacting.ts'

/** A transport whose answers fare as the test says. */
function aTransport(approveTool: Transport['approveTool']): Transport {
  const wire = {
    call: () => Promise.reject(new TransportFault('unreachable', 'nowhere')),
    stream: () => ({ send() {}, close() {} }),
  }
  return { ...wire, ...createInteractions(wire), approveTool }
}

it.each([
  ['unreachable', 'No reply: your answer may have counted. words'],
  ['failed', 'Your answer may have counted. words'],
  ['unauthorized', 'Your answer may have counted. words'],
] as const)(
  'does not claim after a fault (%s) that nothing was sent, and can be pressed again',
  async (code, error) => {
    const approveTool = vi.fn(() => Promise.reject(new TransportFault(code, 'words')))
    const interacting = interactingOf(aTransport(approveTool), 'ses', 'call')
    interacting.submit({ kind: 'approve' })
    await vi.waitFor(() => expect(interacting.getState()).toEqual({ kind: 'pending', error }))
    interacting.submit({ kind: 'approve' })
    expect(approveTool).toHaveBeenCalledTimes(2)
  },
)

it('has an answer for each time that one id is asked about', async () => {
  const transport = aTransport(() => Promise.resolve({ ok: true }))
  const first = interactingOf(transport, 'ses', 'call')
  first.submit({ kind: 'approve' })
  await vi.waitFor(() => expect(first.getState().kind).toBe('submitted'))
  expect(interactingOf(transport, 'ses', 'call')).toBe(first)
  expect(interactingOf(transport, 'ses', 'call', 2).getState()).toEqual({ kind: 'pending' })
})
