import type { ConversationState, PtyServerFrame } from '@holdpoint/schema/terminal-stream'

/** A frame that a page acts on. */
export type TerminalFrame = Exclude<PtyServerFrame, { type: 'error' }>

const CONVERSATION_STATES: readonly unknown[] = ['none', 'unknown', 'guessed', 'known'] satisfies ConversationState[]

const MOST_COLUMNS = 1000
const MOST_ROWS = 1000

/** `undefined` for what this page does not know. */
export function readTerminalFrame(text: unknown): TerminalFrame | undefined {
  const frame = parse(text)
  switch (frame.type) {
    case 'screen':
      if (typeof frame.data !== 'string' || !isSize(frame.cols, MOST_COLUMNS) || !isSize(frame.rows, MOST_ROWS)) {
        return undefined
      }
      return { type: 'screen', data: frame.data, cols: frame.cols, rows: frame.rows }
    case 'output':
      return typeof frame.data === 'string' ? { type: 'output', data: frame.data } : undefined
    case 'writer':
      if (typeof frame.you !== 'boolean' || typeof frame.busy !== 'boolean') return undefined
      return { type: 'writer', you: frame.you, busy: frame.busy }
    case 'conversation':
      return isConversationState(frame.state) ? { type: 'conversation', state: frame.state } : undefined
    case 'exit':
      return { type: 'exit', code: typeof frame.code === 'number' ? frame.code : undefined }
    default:
      return undefined
  }
}

function parse(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function isConversationState(value: unknown): value is ConversationState {
  return CONVERSATION_STATES.includes(value)
}

function isSize(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= most
}
