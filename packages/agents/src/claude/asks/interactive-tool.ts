import type { AskContent, AskContext, AskKind, AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'

/** A tool call that waits at the gate. Every string in it was written by the agent, or by somebody it has read. */
export interface InteractiveCall {
  readonly name: string
  readonly input: Readonly<ToolInput>
  /** Left out where the agent does not tell the folder of its calls. */
  readonly cwd?: string
  /** The path that the agent's own check stopped at, links followed. */
  readonly blockedPath?: string
}

/** What a card of the entry's kind shows. Titles and context are facts; the agent's own words go into `agentSays`. */
export interface AskPart extends AskContent, Pick<AskRequest, 'agentSays'> {
  readonly title: string
  readonly context?: Omit<AskContext, 'cwd'>
}

/** No person is asked: the agent reads why. */
export interface NotAsked {
  readonly refusal: string
}

/** One kind of tool call, as people are asked about it. */
export interface ToolEntry<Kind extends AskKind> {
  /** For the log. */
  readonly name: string
  /** Decides which card is shown, which answers are taken, and how they are checked. */
  readonly kind: Kind
  /** From the call alone: the same call has the same entry, also after a restart. */
  matches(toolName: string, input: Readonly<ToolInput>): boolean
  /**
   * May look around, at a folder for instance, within ten seconds. What it says is stored and shown; where it fails, the
   * call is asked about as a plain approval. A gateway that comes back asks it again: should it say something else then,
   * the agent is told no and may call once more.
   */
  toAsk(call: InteractiveCall): AskPart | NotAsked | Promise<AskPart | NotAsked>
}

/** The ask as it is on record, as far as an answer depends on it: all of this is in its digest (I2). */
export interface AnsweredAsk extends AskContent {
  readonly input: Readonly<ToolInput>
  readonly cwd?: string
}

export interface AnsweredEntry<Kind extends AskKind> extends ToolEntry<Kind> {
  /**
   * The input that the tool gets, made of its own and the person's answer. Called for a yes alone; where it throws, the
   * agent is told no. Pure: it is computed again when the tool has run, and anything else that ran raises the alarm (I6).
   */
  fromOutcome(ask: AnsweredAsk, outcome: Outcome): ToolInput
}

/**
 * What someone can add. An approval has no `fromOutcome`: what was allowed is the input that was shown, or the person's
 * own edit of it.
 */
export type InteractiveTool = ToolEntry<'approval'> | AnsweredEntry<'question'> | AnsweredEntry<'form'>

/** What was filled in, for `fromOutcome` of a form. The broker has checked it against the form's schema. */
export function submittedContent(outcome: Outcome): Readonly<Record<string, unknown>> {
  return (outcome.answer?.content ?? {}) as Record<string, unknown>
}

export interface GivenAnswer {
  /** The question's place. */
  readonly question: number
  /** Labels of its options. */
  readonly selected: readonly string[]
  readonly other?: string
}

/** What was chosen, for `fromOutcome` of a question. Questions may be left out, not all; every label is the question's own. */
export function givenAnswers(outcome: Outcome): readonly GivenAnswer[] {
  return (outcome.answer?.answers ?? []) as GivenAnswer[]
}
