import { z } from 'zod'
import { Display } from './display.ts'
import { AskId, DeviceId, RuleId, SessionId } from './id.ts'
import { Outcome } from './outcome.ts'

export const AskKind = z.enum(['approval', 'question', 'plan', 'form'])
export type AskKind = z.infer<typeof AskKind>

/** A tool's input, as the agent gave it. Never rewritten: what goes back is this or the person's recorded edit (I6). */
export const ToolInput = z.record(z.string(), z.unknown())
export type ToolInput = z.infer<typeof ToolInput>

export const Tool = z.strictObject({
  name: z.string().min(1).max(512),
  displayName: z.string().max(512).optional(),
  input: ToolInput,
  mcpServer: z.strictObject({ name: z.string(), source: z.string() }).optional(),
})
export type Tool = z.infer<typeof Tool>

export const Question = z.strictObject({
  question: z.string().min(1),
  header: z.string().optional(),
  options: z
    .array(
      z.strictObject({ label: z.string().min(1), description: z.string().optional(), preview: z.string().optional() }),
    )
    .max(20),
  multiSelect: z.boolean().default(false),
})
export type Question = z.infer<typeof Question>

export const Plan = z.strictObject({
  /** Empty when the agent wrote none. */
  text: z.string(),
  filePath: z.string().optional(),
})
export type Plan = z.infer<typeof Plan>

export const Form = z.strictObject({
  mode: z.enum(['form', 'url']),
  server: z.string(),
  message: z.string(),
  url: z.string().optional(),
  /** JSON schema of a flat object of primitives, as MCP elicitation has it. */
  schema: z.record(z.string(), z.unknown()).optional(),
})
export type Form = z.infer<typeof Form>

/** Facts about the call, ready to show. Everything in here was checked or read by us, not said by the agent. */
export const AskContext = z.strictObject({
  /** The folder that the call is made in. Left out where nobody has told it: then nothing can be remembered. */
  cwd: z.string().optional(),
  command: z.string().optional(),
  filePath: z.string().optional(),
  /** Unified diff against the file on disk when the ask was raised. */
  diff: z.string().optional(),
  /** Why there is no diff though the tool changes a file. */
  diffOmitted: z.string().optional(),
  url: z.string().optional(),
  query: z.string().optional(),
  blockedPath: z.string().optional(),
})
export type AskContext = z.infer<typeof AskContext>

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** A file that an allow acts on besides the input: an answer counts only while its content is the one that was hashed. */
export const AskFile = z.strictObject({
  /** Absolute. Of a file that is edited: where it really is, links in the folders before its name followed. */
  path: z.string().min(1).max(4096),
  use: z.enum(['edits', 'runs']),
  /** Null when there is no such file. */
  sha256: Sha256.nullable(),
  /** What the file has to be after the edit, where that can be told. */
  after: Sha256.optional(),
})
export type AskFile = z.infer<typeof AskFile>

/** What "allow and remember" would remember of this ask. */
export const Remember = z.strictObject({
  /** Compared: the same for the same call alone. */
  key: z.string(),
  /** What people read. */
  rule: z.string(),
  /** Of a file that is written whole: what is in it. Null when there is no such file. */
  replaces: Sha256.nullable().optional(),
})
export type Remember = z.infer<typeof Remember>

/** What a person reads and answers, by the kind of the ask, besides the tool's input. All of it is in the digest (I2). */
const content = {
  questions: z.array(Question).min(1).max(8).optional(),
  plan: Plan.optional(),
  form: Form.optional(),
}

/** What a driver or a raiser hands over; the broker adds identity, digest and times. */
export const AskRequest = z.strictObject({
  requestId: z.string().min(1).max(256),
  kind: AskKind,
  toolUseId: z.string().max(256).optional(),
  /** Which subagent asks; the same on all of its asks and items. */
  subagent: z.string().max(256).optional(),
  /** What the agent calls it. Hostile text. */
  subagentName: z.string().max(256).optional(),
  tool: Tool.optional(),
  /** How a card shows the call. From a driver alone. */
  display: Display.optional(),
  title: z.string().min(1).max(1024),
  /** The agent's own words. Hostile text: fenced on every surface, never a title. */
  agentSays: z.string().optional(),
  decisionReason: z.string().optional(),
  matchedAskRule: z.record(z.string(), z.unknown()).optional(),
  /**
   * The agent's own gate has refused the call, for this reason: hostile text. A yes runs nothing. It lets the agent make
   * exactly this call once more, before its turn ends. From a driver alone.
   */
  appeal: z.strictObject({ reason: z.string() }).optional(),
  context: AskContext,
  ...content,
  /** Files of the project that the call edits, or that a command names as programs and scripts. */
  files: z.array(AskFile).max(100).optional(),
  /** What cannot be told, in plain sentences: which files a command runs and why, what an edit will write, or where it reads through a link. */
  filesUnknown: z.string().max(1024).optional(),
  /** The vendor's own suggestions, carried for dialects that show them; they are never sent back to the agent. */
  suggestions: z.array(z.unknown()).default([]),
  flags: z
    .strictObject({ defaultToNo: z.boolean(), noRemember: z.boolean() })
    .default({ defaultToNo: false, noRemember: false }),
})
export type AskRequest = z.infer<typeof AskRequest>
export type AskContent = Pick<AskRequest, keyof typeof content>

export const Ask = AskRequest.extend({
  id: AskId,
  sessionId: SessionId,
  agent: z.string(),
  epoch: z.int(),
  digest: z.string(),
  /** Left out where it cannot be remembered. */
  remember: Remember.optional(),
  raisedAt: z.int(),
  /** The credential that raised it, where it came over the API instead of from a driver. */
  raisedBy: DeviceId.optional(),
  /** What that credential is called. */
  raiser: z.string().optional(),
  /** The ask for the same waiting call that was withdrawn as changed. */
  replaces: AskId.optional(),
  expiresAt: z.int().optional(),
  /** Why the policy leaves it to a person, in one plain sentence; the rule that says so, and why, as it is written there. */
  askedBecause: z.strictObject({ reason: z.string(), rule: RuleId.optional(), why: z.string().optional() }).optional(),
  outcome: Outcome.optional(),
  /**
   * A large ask in a list or a stream: its long texts and lists are empty there, and so is its `digest`. Whoever wants to
   * answer reads it whole, by its id, and finds the digest that stands here. Never recorded.
   */
  omitted: z.strictObject({ digest: z.string(), characters: z.int() }).optional(),
})
export type Ask = z.infer<typeof Ask>
