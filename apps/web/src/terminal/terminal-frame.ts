/** What the gateway says of a terminal. */
export type TerminalFrame =
  | { readonly type: 'screen'; readonly data: string; readonly cols: number; readonly rows: number }
  | { readonly type: 'output'; readonly data: string }
  /** `you` typed last; `busy` while somebody else types, and nobody but they can. */
  | { readonly type: 'writer'; readonly you: boolean; readonly busy: boolean }
  | { readonly type: 'conversation'; readonly state: ConversationState }
  | { readonly type: 'exit'; readonly code: number | undefined }

/** What is known of the conversation that a coding agent has in a terminal. `none`: there is nothing to say about it. */
export type ConversationState = 'none' | 'unknown' | 'guessed' | 'known'

const CONVERSATION_STATES: readonly unknown[] = ['none', 'unknown', 'guessed', 'known'] satisfies ConversationState[]

/** What a page says to a terminal. */
export type TerminalCommand =
  | { readonly type: 'view'; readonly cols: number; readonly rows: number }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'input'; readonly data: string }

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
