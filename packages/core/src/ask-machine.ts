import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskKind } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Outcome } from '@holdpoint/schema/outcome'
import { checkFormContent } from './form-content.ts'
import { editsInPlace } from './remembering.ts'

/** Why an answer cannot count. A value: people race, retry and mistype, and each deserves to hear what happened. */
export type Refusal =
  | { readonly code: 'not_found' }
  | { readonly code: 'forbidden' }
  | { readonly code: 'already_settled'; readonly outcome: Outcome }
  | { readonly code: 'digest_mismatch' }
  | { readonly code: 'changed'; readonly message: string }
  | { readonly code: 'session_frozen' }
  /** Only the machine of its agent can say whether what was shown still holds. */
  | { readonly code: 'machine_unreachable' }
  | { readonly code: 'retry_mismatch' }
  | { readonly code: 'invalid_answer'; readonly issues: readonly string[] }

const ANSWERS: Record<AskKind, readonly Answer['kind'][]> = {
  approval: ['allow', 'deny'],
  question: ['answer', 'cancel'],
  plan: ['allow', 'deny'],
  form: ['submit', 'decline', 'cancel'],
}

/**
 * Why this answer to an open ask cannot count, if it cannot. `bound` says what ties the answer to what the person saw:
 * the digest (I2), or, for protocols that carry none, the ask's id, whose content never changes.
 */
export function refuse(ask: Ask, answer: Answer, bound: 'digest' | 'id'): Refusal | undefined {
  if (bound === 'digest' && answer.digest !== ask.digest) return { code: 'digest_mismatch' }
  const issues = check(ask, answer)
  return issues.length > 0 ? { code: 'invalid_answer', issues } : undefined
}

/** The outcome kind an answer comes to. */
export function outcomeKind(answer: Answer): Outcome['kind'] {
  switch (answer.kind) {
    case 'allow':
      return 'allowed'
    case 'deny':
    case 'decline':
    case 'cancel':
      return 'denied'
    case 'answer':
    case 'submit':
      return 'answered'
    default:
      return answer satisfies never
  }
}

/** What is kept of an answer: everything but the digest that bound it. */
export function recordedAnswer(answer: Answer): Record<string, unknown> {
  const { digest, ...kept } = answer
  return JSON.parse(JSON.stringify(kept)) as Record<string, unknown>
}

/** The text that the digest is taken over (I2): everything that decides what an allow would do. */
export function digestText(ask: Omit<Ask, 'digest' | 'id'>): string {
  return canonicalJson({
    agent: ask.agent,
    sessionId: ask.sessionId,
    epoch: ask.epoch,
    requestId: ask.requestId,
    kind: ask.kind,
    tool: ask.tool?.name,
    input: ask.tool?.input,
    cwd: ask.context.cwd,
    questions: ask.questions,
    plan: ask.plan,
    form: ask.form,
    appeal: ask.appeal,
    files: ask.files,
    filesUnknown: ask.filesUnknown,
  })
}

/**
 * The same without what changes under a call that waits: its plan's file, the files that it would act on, and its folder,
 * which is named by the place that it really is at: another may have been put there.
 */
export function callText(ask: Omit<Ask, 'digest' | 'id'>): string {
  const { plan, files, filesUnknown, ...call } = ask
  const named = plan && { plan: { text: '', ...(plan.filePath && { filePath: plan.filePath }) } }
  return digestText({ ...call, context: {}, ...named })
}

function check(ask: Ask, answer: Answer): string[] {
  if (!ANSWERS[ask.kind].includes(answer.kind)) {
    return [`this is a ${ask.kind}: it takes ${ANSWERS[ask.kind].join(' or ')}, not ${answer.kind}`]
  }
  switch (answer.kind) {
    case 'allow':
      return ask.kind === 'plan' ? checkPlanAllow(answer) : checkAllow(ask, answer)
    case 'answer':
      return checkQuestions(ask, answer)
    case 'submit':
      return ask.form ? checkFormContent(ask.form, answer.content) : ['this ask has no form']
    case 'cancel':
      // No form has a way to say so: the record would tell of an interruption that never was.
      return answer.interrupt && ask.kind === 'form' ? ['interrupt is for questions'] : []
    case 'deny':
    case 'decline':
      return []
    default:
      return answer satisfies never
  }
}

type Allow = Extract<Answer, { kind: 'allow' }>

function checkAllow(ask: Ask, answer: Allow): string[] {
  const issues: string[] = []
  // Recorded before such asks were refused. Nothing of what it asks for is bound by its digest.
  if (!ask.tool) issues.push('this approval names no tool: deny it, and let the program ask again with one')
  if (answer.plan !== undefined || answer.permissionMode !== undefined) {
    issues.push('plan and permissionMode are for plans')
  }
  if (answer.updatedInput) issues.push(...checkEditedInput(ask, answer.updatedInput))
  if (answer.updatedInput && ask.appeal) {
    issues.push('the agent has to make this call again, so it cannot be changed: allow it as it is, or deny it')
  }
  if (answer.remember) {
    const { scope, until } = answer.remember
    if (!namesRule(ask, answer)) {
      if (scope !== 'session') issues.push(`scope ${scope} needs a rule: without one, only this call is remembered`)
      if (until !== undefined)
        issues.push('until needs a rule: without one, a call is remembered until its session ends')
    }
    if (answer.updatedInput) issues.push('an edited input cannot be remembered: allow it once')
  }
  return issues
}

/** Whether an allow is to make a rule of the policy, and not only to remember this very call. */
export function namesRule(ask: Pick<Ask, 'remember'>, answer: Answer): boolean {
  const rule = answer.kind === 'allow' ? answer.remember?.rule : undefined
  return rule !== undefined && rule !== ask.remember?.rule
}

function checkPlanAllow(answer: Allow): string[] {
  const issues: string[] = []
  if (answer.updatedInput !== undefined || answer.remember !== undefined) {
    issues.push('a plan takes plan and permissionMode, not updatedInput or remember')
  }
  // Claude Code leaves plan mode with every yes to a plan.
  if (answer.permissionMode === 'plan') {
    issues.push('an approved plan cannot stay in plan mode: to stay there, deny it and say what to change')
  }
  return issues
}

/** An edit keeps the shape: a command that became a number would crash the agent, or worse, mean something else. */
function checkEditedInput({ tool, files = [] }: Ask, edited: Record<string, unknown>): string[] {
  const issues: string[] = []
  const original = tool?.input ?? {}
  // The card shows what this input does to this file. What another one does, nobody has been shown.
  if (tool && editsInPlace(tool.name)) issues.push('an edit cannot be changed: deny it, and say what you want instead')
  const isWritten = files.some(({ use }) => use === 'edits')
  if (isWritten && edited.file_path !== original.file_path) issues.push('updatedInput.file_path must stay as it is')
  for (const [key, value] of Object.entries(original)) {
    if (!Object.hasOwn(edited, key)) issues.push(`updatedInput lacks ${key}`)
    else if (shape(edited[key]) !== shape(value)) issues.push(`updatedInput.${key} must be ${shape(value)}`)
  }
  return issues
}

function shape(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Questions may be left out: agents take it that they were not answered. An entry without an answer is a mistake. */
function checkQuestions(ask: Ask, answer: Extract<Answer, { kind: 'answer' }>): string[] {
  const questions = ask.questions ?? []
  const issues: string[] = []
  const seen = new Set<number>()
  for (const given of answer.answers) {
    const question = questions[given.question]
    if (!question) {
      issues.push(`there is no question ${given.question}`)
      continue
    }
    if (seen.has(given.question)) issues.push(`question ${given.question} is answered twice`)
    seen.add(given.question)
    const unknown = given.selected.filter((label) => !question.options.some((option) => option.label === label))
    for (const label of unknown) issues.push(`question ${given.question} has no option ${JSON.stringify(label)}`)
    if (new Set(given.selected).size < given.selected.length) issues.push(`question ${given.question}: option twice`)
    const count = given.selected.length + (given.other?.trim() ? 1 : 0)
    if (count === 0) issues.push(`question ${given.question} has no answer`)
    if (count > 1 && !question.multiSelect) issues.push(`question ${given.question} takes one answer`)
  }
  if (answer.answers.length === 0) issues.push('no question is answered: cancel, or answer at least one')
  return issues
}

/** Answers as agents read them: by the question's exact text, labels joined, free text last. */
export function answersByText(
  ask: Pick<Ask, 'questions'>,
  answers: readonly { question: number; selected: readonly string[]; other?: string }[],
) {
  const byText = answers.flatMap((given) => {
    const question = ask.questions?.[given.question]
    const other = given.other?.trim() ? [given.other] : []
    return question ? [[question.question, [...given.selected, ...other].join(', ')] as const] : []
  })
  // Whatever the wording is: an assignment to `__proto__` would be lost.
  return Object.fromEntries(byText)
}
