import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { NodeId, SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'

/** What a gateway tells the agents of the test, over a connection for each session that it drives. */
export type FromGateway =
  /** The first line. `life`: of the gateway, among those on its machine. */
  | {
      readonly type: 'hello'
      readonly sessionId: SessionId
      readonly epoch: number
      readonly node: NodeId
      readonly life: number
    }
  | { readonly type: 'told'; readonly requestId: string; readonly outcome: Outcome }
  /** It could not be recorded. */
  | { readonly type: 'refused'; readonly requestId: string; readonly why: string }

/** What an agent tells its gateway. */
export type FromAgent =
  | { readonly type: 'reattached'; readonly open: readonly string[]; readonly answered: readonly string[] }
  | { readonly type: 'ask'; readonly request: AskRequest }
  | { readonly type: 'cancel'; readonly requestId: string }
  /** It has its outcome. */
  | { readonly type: 'taken'; readonly requestId: string }

/** One JSON text a line. What is cut off with its gateway was not said. */
export function onLines<Line>(socket: Socket, take: (line: Line) => void) {
  socket.on('error', () => {})
  const lines = createInterface({ input: socket })
  // The socket's own, once more.
  lines.on('error', () => {})
  lines.on('line', (text) => {
    if (text.endsWith('}') && !socket.destroyed) take(JSON.parse(text) as Line)
  })
}

export function sendLine<Line extends FromGateway | FromAgent>(socket: Socket, line: Line) {
  if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`)
}
