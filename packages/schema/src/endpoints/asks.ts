import { z } from 'zod'
import { Answer, AnswerBatch, RememberRequest, RememberScope } from '../answer.ts'
import { Ask, type AskContent, AskContext, AskRequest, Form, Plan, Question, Tool } from '../ask.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { AskId, SessionId } from '../id.ts'
import { Outcome } from '../outcome.ts'
import { paths } from '../paths.ts'
import { ProposedRule } from '../policy.ts'
import { AskTimeout } from '../time-limit.ts'

/** In how many lives of a program's session a request is found. One that is withdrawn and asked again begins a life. */
export const FOUND_LIVES = 100
/** Asks in one reply. */
export const LIST_LIMIT = 1000
/** Asks that one call may name. */
export const MAX_IDS = 100

const AskIds = z
  .string()
  .max(MAX_IDS * 31)
  .transform((text) => text.split(','))
  .pipe(z.array(AskId).min(1).max(MAX_IDS))

/** What "allow and remember" could make of a call that waits, besides remembering this very call. */
export const OfferedRules = z.object({
  /** Narrowest first. */
  rules: z.array(ProposedRule),
  /** What the agent itself would save, in its own words, and the rule that this comes to. */
  suggested: z.array(z.strictObject({ says: z.string(), pattern: z.string() })),
  /** Why there is none: a plain sentence. */
  why: z.string().optional(),
  /** Where this credential may make a rule for: nowhere, unless it is an owner's. */
  scopes: z.array(RememberScope),
  /** The folder that `project` stands for. */
  project: z.string(),
})
export type OfferedRules = z.infer<typeof OfferedRules>

/** Characters. For what is read, as long as what an agent can be told with a denial. */
const NAME_LIMIT = 1024
const PATH_LIMIT = 4096
/** Of a form's schema, too. */
export const TEXT_LIMIT = 65_536
/** As long as an edited plan may be. */
const PLAN_LIMIT = 1_000_000

const short = z.string().max(NAME_LIMIT)
const text = z.string().max(TEXT_LIMIT)

/** Content as a raiser sends it. */
const limitedContent = {
  questions: z
    .array(
      Question.extend({
        question: text.min(1),
        header: short.optional(),
        options: z
          .array(z.strictObject({ label: short.min(1), description: text.optional(), preview: text.optional() }))
          .max(20),
      }),
    )
    .min(1)
    .max(8)
    .optional(),
  // Without its file, which is read when the answer comes: only our own drivers name one.
  plan: Plan.omit({ filePath: true })
    .extend({ text: z.string().max(PLAN_LIMIT) })
    .optional(),
  form: Form.extend({
    server: short,
    message: text,
    url: z.string().max(PATH_LIMIT).optional(),
  }).optional(),
} satisfies Record<keyof AskContent, z.ZodType>

/** What names one run of a program for its credential: the same key is the same session, and its request ids count in it. */
const ProgramKey = z.string().min(1).max(256)

/** A program that asks without a session of an agent. It gets a session of its own. */
const Program = z.strictObject({
  key: ProgramKey,
  /** Who asks, as people read it. Said by the program: shown, never relied on. */
  title: z.string().min(1).max(256),
})
export type Program = z.infer<typeof Program>

/**
 * What a raiser sends, with a limit for every text (F58); how long a tool's input may be, the broker says. Limits are here
 * and not in the schema of what is recorded: what was recorded before them can still be read.
 *
 * Files are not a raiser's to name: whether an answer is refused would tell what is in them. Nor is what a card says as a
 * fact: why the agent asks, which rule of the person's own it met, that the agent's own gate has refused it, which server a
 * tool is of, and how the call is displayed. Nor is whatever belongs to a call of the agent: its id, the subagent that makes it, what its vendor suggests
 * (T27).
 */
export const RaiseAsk = AskRequest.omit({
  display: true,
  files: true,
  filesUnknown: true,
  decisionReason: true,
  matchedAskRule: true,
  appeal: true,
  toolUseId: true,
  subagent: true,
  subagentName: true,
  suggestions: true,
}).extend({
  /** The session that the ask belongs to. Left out by a program that belongs to none: it says who it is instead. */
  sessionId: SessionId.optional(),
  program: Program.optional(),
  tool: Tool.omit({ mcpServer: true }).optional(),
  epoch: z.int().min(1).optional(),
  /** How long it may wait, at most: a shorter limit of the session holds. */
  timeoutMs: AskTimeout.optional(),
  agentSays: text.optional(),
  // Facts are read off the tool's input, which the digest covers; beside it a raiser could show something else (I6).
  context: AskContext.pick({ cwd: true }).extend({ cwd: z.string().max(PATH_LIMIT) }),
  ...limitedContent,
})

export const askEndpoints = {
  list: {
    ...paths.asks.list,
    summary:
      'Asks without their large parts: open ones, oldest first, then settled ones, newest first. Or the asks with these ids, where they exist. Pass next to get the next page',
    query: z.strictObject({
      status: z.enum(['open', 'settled', 'all']).default('open'),
      sessionId: SessionId.optional(),
      /** Settled ones; open asks are all there. */
      limit: z.coerce.number().int().min(1).max(LIST_LIMIT).default(LIST_LIMIT),
      ids: AskIds.optional(),
      /** The `next` of the page before. */
      next: AskId.optional(),
    }),
    replies: { 200: z.object({ asks: z.array(Ask), cursor: z.string(), next: AskId.optional() }) },
  },
  read: {
    ...paths.asks.read,
    summary: 'One complete ask. With wait, the reply comes when the ask is settled or the seconds are over',
    query: z.strictObject({ wait: z.coerce.number().min(0).max(3600).optional() }),
    replies: { 200: Ask },
  },
  answer: {
    ...paths.asks.answer,
    summary: 'Answer an ask. The first answer wins',
    body: Answer,
    idempotent: true,
    replies: { 200: z.object({ outcome: Outcome }) },
  },
  answerSeveral: {
    ...paths.asks.answerSeveral,
    summary:
      'Answer several asks. Each is decided on its own. An ask that may only be allowed alone is refused among several allows',
    body: AnswerBatch,
    idempotent: true,
    replies: { 200: z.object({ results: z.array(z.looseObject({ id: z.string(), status: z.int() })) }) },
  },
  raise: {
    ...paths.asks.raise,
    summary:
      'Raise an ask, once for each session, epoch and request id; or, with program instead of sessionId, once for each key and request id',
    body: RaiseAsk,
    replies: { 201: Ask },
  },
  withdraw: {
    ...paths.asks.withdraw,
    summary: 'Withdraw an ask that was raised over the API',
    replies: { 200: z.object({ outcome: Outcome }) },
  },
  leave: {
    ...paths.asks.leave,
    summary: 'End the session of a program. Its open asks are withdrawn',
    body: z.strictObject({ key: ProgramKey }),
    replies: { 204: 'ended, or there was none' },
  },
  seen: {
    ...paths.asks.seen,
    summary: 'Record that a person has seen the ask',
    replies: { 204: 'noted' },
  },
  offeredRules: {
    ...paths.asks.offeredRules,
    summary: 'Rules that an allow of this ask could make, narrowest first',
    replies: { 200: OfferedRules },
  },
  checkRule: {
    ...paths.asks.checkRule,
    summary: 'Whether an allow of this ask could make a rule. Nothing is saved',
    body: RememberRequest,
    replies: { 200: z.object({ problem: z.string().optional() }) },
  },
} satisfies EndpointsOf<typeof paths.asks>
