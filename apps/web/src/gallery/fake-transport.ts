import { type InteractionResult, type Transport, TransportFault } from '@holdpoint/client/transport'

/** What the gallery's gateway does with an answer to a tool call. */
export type Reception = 'takes' | 'silent' | 'fails-once' | 'already-settled' | 'not-found' | 'invalid'

/** A transport to nowhere that says what it was asked to send. */
export function createFakeTransport(reception: Reception, onSent: (text: string) => void): Transport {
  let count = 0
  async function receive(name: string, ...sent: unknown[]): Promise<InteractionResult> {
    onSent(JSON.stringify([name, ...sent]))
    count += 1
    await new Promise((resolve) => setTimeout(resolve, reception === 'silent' ? 3_600_000 : 150))
    switch (reception) {
      case 'fails-once':
        if (count === 1) throw new TransportFault('unreachable', 'The gateway cannot be reached just now.')
        return { ok: true }
      case 'already-settled':
        return { ok: false, code: 'already_settled', message: 'Somebody was first.' }
      case 'not-found':
        return { ok: false, code: 'not_found', message: 'Nothing waits here.' }
      case 'invalid':
        return { ok: false, code: 'invalid', message: 'This answer does not fit the question.' }
      default:
        return { ok: true }
    }
  }
  const known: Partial<Transport> = {
    approveTool: (sessionId, toolCallId) => receive('approveTool', sessionId, toolCallId),
    denyTool: (sessionId, toolCallId) => receive('denyTool', sessionId, toolCallId),
    submitAnswers: (sessionId, toolCallId, answers) => receive('submitAnswers', sessionId, toolCallId, answers),
  }
  return known as Transport
}
