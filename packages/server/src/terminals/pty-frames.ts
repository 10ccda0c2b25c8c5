import { SIZE_LIMITS } from '@holdpoint/agents/pty/helper-protocol'
import type { ConversationState } from '@holdpoint/agents/pty/hosted-claude'
import { z } from 'zod'

const { minCols, maxCols, minRows, maxRows } = SIZE_LIMITS
export const TerminalSize = { cols: z.int().min(minCols).max(maxCols), rows: z.int().min(minRows).max(maxRows) }
/** Characters typed, or pasted, at once. */
export const MAX_INPUT = 65_536
const MAX_SCROLLBACK = 1000

/** What a client may send on `/api/terminals/:sessionId`. */
export const PtyClientFrame = z.discriminatedUnion('type', [
  /** Shows the terminal, from now on. `scrollback` is how many lines that have scrolled away come with the screen. */
  z.strictObject({
    type: z.literal('view'),
    ...TerminalSize,
    scrollback: z.int().min(0).max(MAX_SCROLLBACK).default(500),
  }),
  z.strictObject({ type: z.literal('input'), data: z.string().min(1).max(MAX_INPUT) }),
  z.strictObject({ type: z.literal('resize'), ...TerminalSize }),
])
export type PtyClientFrame = z.infer<typeof PtyClientFrame>

/** What it is sent. */
export type PtyServerFrame =
  /** Takes the place of everything that was shown before. */
  | { type: 'screen'; data: string; cols: number; rows: number }
  | { type: 'output'; data: string }
  /** `you` typed last; `busy` when somebody else is typing, and nobody else can. */
  | { type: 'writer'; you: boolean; busy: boolean }
  /** What is known of Claude Code's conversation in it; told when there is something to tell. */
  | { type: 'conversation'; state: ConversationState }
  /** The program has ended; `code` is absent when it did not come to its own end. */
  | { type: 'exit'; code?: number }
  | { type: 'error'; error: { code: string; message: string } }
