import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { paths } from '../paths.ts'
import { Session } from '../session.ts'
import { ConversationState, MAX_INPUT, TerminalSize } from '../terminal-stream.ts'

const text = z
  .string()
  .max(131_072)
  .refine((value) => !value.includes('\0'), 'contains a NUL character')

export const StartTerminal = z.strictObject({
  command: text.min(1),
  args: z.array(text).max(1000).default([]),
  cwd: z.string().min(1).max(4096),
  title: z.string().min(1).max(256).optional(),
  ...TerminalSize,
  /** All of the program's environment; left out, it has the gateway's. It is not kept. */
  env: z
    .record(
      z
        .string()
        .regex(/^[^=\0]+$/)
        .max(1024),
      text,
    )
    .optional(),
})
export type StartTerminal = z.infer<typeof StartTerminal>

export const PtyInput = z.strictObject({
  sessionID: z.string().max(256),
  input: z.string().min(1).max(MAX_INPUT),
  /** The ask that this answers. With it nothing is ever typed, and no other ask answered. */
  askID: z.string().max(256).optional(),
})
export type PtyInput = z.infer<typeof PtyInput>

export const Conversation = z.object({
  state: ConversationState,
  vendorSessionId: z.string().optional(),
  /** What would be typed to find it, word for word, and the marker in it. */
  marker: z.string(),
  message: z.string(),
})
export type Conversation = z.infer<typeof Conversation>

/** A UUID of letters alone: a digit would choose an option, should a dialog open while it is typed. */
export const MARKER = /^[a-f]{8}(-[a-f]{4}){3}-[a-f]{12}$/

export const terminalEndpoints = {
  start: {
    ...paths.terminals.start,
    summary: 'Start a program in a terminal that can be viewed and typed into from anywhere',
    body: StartTerminal,
    idempotent: true,
    replies: { 201: Session },
  },
  input: {
    ...paths.terminals.input,
    summary:
      'Type into a hosted terminal. While a question is open in it, nothing is typed: y, n or the number of an option answers the one open ask, and everything else is refused. While Claude Code is working in it, only Esc and Ctrl-C are typed',
    body: PtyInput,
    idempotent: true,
    replies: { 202: 'typed, or answered' },
  },
  conversation: {
    ...paths.terminals.conversation,
    summary:
      'What is known about Claude Code’s conversation in a hosted terminal, and the message that would be typed to find it',
    replies: { 200: Conversation },
  },
  findConversation: {
    ...paths.terminals.findConversation,
    summary:
      'Find Claude Code’s conversation in a hosted terminal. It types the message with this marker, which costs a turn, and then follows the file that contains it. Call it only after a person has agreed',
    body: z.strictObject({ marker: z.string().regex(MARKER) }),
    replies: { 200: z.object({ found: z.boolean(), vendorSessionId: z.string().optional() }) },
  },
  renewAccess: {
    ...paths.terminals.renewAccess,
    summary: 'Create a new credential for the terminals of this machine, after theirs was revoked',
    replies: { 204: 'created' },
  },
} satisfies EndpointsOf<typeof paths.terminals>
