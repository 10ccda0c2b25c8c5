import { z } from 'zod'

/** As large as a hosted terminal may be. */
export const TerminalSize = { cols: z.int().min(2).max(500), rows: z.int().min(1).max(300) }
/** Characters typed, or pasted, at once. */
export const MAX_INPUT = 65_536
const MAX_SCROLLBACK = 1000

/**
 * What is known of the conversation that Claude Code has in a terminal: `none` where no Claude Code is seen, or it is only
 * about to begin one; `guessed` where it could be another one as well.
 */
export const ConversationState = z.enum(['none', 'unknown', 'guessed', 'known'])
export type ConversationState = z.infer<typeof ConversationState>

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
/** The same as a client writes it: what has a default may be left out. */
export type PtyCommand = z.input<typeof PtyClientFrame>

/** What the gateway sends there. */
export const PtyServerFrame = z.discriminatedUnion('type', [
  /** Takes the place of everything that was shown before. */
  z.strictObject({ type: z.literal('screen'), data: z.string(), cols: z.int(), rows: z.int() }),
  z.strictObject({ type: z.literal('output'), data: z.string() }),
  /** `you` typed last; `busy` while somebody else is typing, and nobody else can. */
  z.strictObject({ type: z.literal('writer'), you: z.boolean(), busy: z.boolean() }),
  /** What is known of the agent's conversation in it; sent when there is something to say. */
  z.strictObject({ type: z.literal('conversation'), state: ConversationState }),
  /** The program has ended; `code` is absent when it did not come to its own end. */
  z.strictObject({ type: z.literal('exit'), code: z.int().optional() }),
  z.strictObject({ type: z.literal('error'), error: z.looseObject({ code: z.string(), message: z.string() }) }),
])
export type PtyServerFrame = z.infer<typeof PtyServerFrame>
