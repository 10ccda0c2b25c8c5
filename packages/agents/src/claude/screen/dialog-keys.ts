import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, Question } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { type GivenAnswer, givenAnswers } from '../asks/interactive-tool.ts'
import { ruleDenial } from '../asks/permission-result.ts'
import { questionShown } from './dialog-match.ts'
import {
  type DialogOption,
  isNo,
  isPlainYes,
  type PermissionDialog,
  PLAN_YES,
  type PlanDialog,
  type QuestionDialog,
  type ScreenDialog,
} from './screen-dialog.ts'

/** What a dialog is to be brought to. */
export type DialogGoal =
  | { readonly kind: 'allow'; readonly mode?: string }
  | { readonly kind: 'deny'; readonly message?: string }
  | { readonly kind: 'answer'; readonly questions: readonly Question[]; readonly answers: readonly GivenAnswer[] }
  | { readonly kind: 'cancel' }

/** The next keys. `isLast` when the dialog is decided by them. */
export type KeyStep =
  | { readonly keys: string; readonly isLast?: true; readonly leavesOutMessage?: true }
  | { readonly cannot: string }

const ESCAPE = '\x1b'
const UP = '\x1b[A'
const DOWN = '\x1b[B'
const ENTER = '\r'
const TAB = '\t'
const EMPTY_NO = 'No, and tell Claude what to do differently'
const PLAN_FEEDBACK = 'Tell Claude what to change'
const OWN_WORDS = /^Type something\.?$/
/** Longer ones are shown as a pasted block, and can then not be compared with the screen. */
const MAX_TYPED = 500
const PLAN_MODES: Readonly<Record<string, RegExp>> = {
  default: PLAN_YES,
  acceptEdits: /^Yes, (and )?(auto-accept|accept) edits/,
  auto: /^Yes, and use auto mode/,
  bypassPermissions: /^Yes, and bypass/,
}

export function goalOf(ask: Pick<Ask, 'kind' | 'questions'>, outcome: Outcome): DialogGoal | undefined {
  const { answer = {} } = outcome
  const said = outcome.via === 'rule' ? ruleDenial(outcome) : answer.message
  const message = typeof said === 'string' ? typeable(said) : ''
  switch (outcome.kind) {
    case 'allowed':
      return { kind: 'allow', ...(typeof answer.permissionMode === 'string' && { mode: answer.permissionMode }) }
    case 'answered':
      return { kind: 'answer', questions: ask.questions ?? [], answers: givenAnswers(outcome) }
    case 'denied':
      if (ask.kind === 'question') return { kind: 'cancel' }
      // To stop is what a plain no does in a terminal; a message lets the agent go on with it.
      return { kind: 'deny', ...(message !== '' && answer.interrupt !== true && { message }) }
    // Its dialog stays: a key would be the no of a person who was not there.
    case 'expired':
    case 'withdrawn':
      return undefined
    default:
      return outcome.kind satisfies never
  }
}

/** Why this answer could not be given with keys, whatever the screen shows. Said before it counts, not afterwards. */
export function untypeable(ask: Pick<Ask, 'kind' | 'questions'>, answer: Answer): string | undefined {
  if (answer.kind === 'allow' && answer.updatedInput !== undefined) {
    return 'This agent asks in its terminal, which accepts only yes or no. A changed input cannot be given there. Deny it and say what to do instead.'
  }
  if (answer.kind === 'allow' && answer.plan !== undefined) {
    return 'This agent asks in its terminal, which accepts the plan only as it is. Send it back and say what to change.'
  }
  if (answer.kind !== 'answer') return undefined
  if (answer.answers.length < (ask.questions?.length ?? 0))
    return 'This agent asks in its terminal, where every question must be answered. Answer all of them.'
  for (const { question, other } of answer.answers) {
    if (other === undefined || other === '') continue
    const hasPreview = ask.questions?.[question]?.options.some((option) => option.preview !== undefined)
    if (hasPreview)
      return 'The terminal accepts no words of your own for a question with previews. Choose one of its options.'
    if (typeable(other).length > MAX_TYPED)
      return `The terminal accepts at most ${MAX_TYPED} characters of your own words.`
  }
  return undefined
}

/** The next keys towards the goal, from what the screen shows and nothing else: whoever typed in between is noticed. */
export function nextStep(dialog: ScreenDialog, goal: DialogGoal): KeyStep {
  if (goal.kind === 'cancel') return { keys: ESCAPE, isLast: true }
  switch (dialog.kind) {
    case 'permission':
      return permissionStep(dialog, goal)
    case 'plan':
      return planStep(dialog, goal)
    case 'question':
      return goal.kind === 'answer' ? questionStep(dialog, goal) : NO_FIT
    case 'review':
      return goal.kind === 'answer' ? reviewStep(dialog.answers, goal) : NO_FIT
    default:
      return dialog satisfies never
  }
}

const NO_FIT: KeyStep = { cannot: 'the dialog does not accept this kind of answer' }

function permissionStep(dialog: PermissionDialog, goal: DialogGoal): KeyStep {
  const yes = dialog.options.find(isPlainYes)
  const no = dialog.options.findLast(isNo)
  if (goal.kind === 'allow') return yes?.digit ? { keys: yes.digit, isLast: true } : NO_FIT
  if (goal.kind !== 'deny' || !no?.digit) return NO_FIT
  const { message } = goal
  // Sometimes the digit only moves the cursor there.
  if (message === undefined) return { keys: no.isCursor ? ENTER : no.digit, isLast: true }
  // Some dialogs take no words: then it is a plain no.
  if (/\(esc\)$/.test(no.label)) return { keys: no.digit, isLast: true, leavesOutMessage: true }
  if (!no.isCursor) return { keys: towards(dialog.options, no) }
  if (no.label === 'No') {
    return dialog.canAmend ? { keys: TAB } : { keys: no.digit, isLast: true, leavesOutMessage: true }
  }
  if (no.label === EMPTY_NO) return { keys: typed(message) }
  return entered(no.label.slice('No, '.length), message)
}

function planStep({ options }: PlanDialog, goal: DialogGoal): KeyStep {
  if (goal.kind === 'allow') {
    const wanted = PLAN_MODES[goal.mode ?? 'default']
    const option = options.find(({ label }) => wanted?.test(label))
    return option?.digit
      ? { keys: option.digit, isLast: true }
      : { cannot: 'the terminal does not offer to continue in that mode' }
  }
  if (goal.kind !== 'deny') return NO_FIT
  if (goal.message === undefined) return { keys: ESCAPE, isLast: true }
  const feedback = options.at(-1)
  if (!feedback) return NO_FIT
  if (!feedback.isCursor) return { keys: towards(options, feedback) }
  return feedback.label === PLAN_FEEDBACK ? { keys: typed(goal.message) } : entered(feedback.label, goal.message)
}

function questionStep(dialog: QuestionDialog, goal: Extract<DialogGoal, { kind: 'answer' }>): KeyStep {
  const index = questionShown(dialog, { questions: goal.questions })
  const given = goal.answers.find(({ question }) => question === index)
  const asked = index === undefined ? undefined : goal.questions[index]
  if (!given || !asked) return NO_FIT
  const other = typeable(given.other ?? '')
  const own = dialog.options[asked.options.length]
  if (other !== '' && !own) return { cannot: 'the terminal accepts no words of your own here' }
  return dialog.isMulti ? choices(dialog, asked, { ...given, other }) : choice(dialog, asked, { ...given, other })
}

function choice(dialog: QuestionDialog, asked: Question, given: GivenAnswer & { other: string }): KeyStep {
  const own = dialog.options[asked.options.length]
  if (given.other !== '' && own) {
    if (!own.isCursor) return { keys: towards(dialog.options, own) }
    return OWN_WORDS.test(own.label) ? { keys: typed(given.other) } : entered(own.label, given.other)
  }
  const wanted = dialog.options[asked.options.findIndex(({ label }) => label === given.selected[0])]
  if (!wanted) return NO_FIT
  return wanted.isCursor ? { keys: ENTER } : { keys: towards(dialog.options, wanted) }
}

/** Boxes first, then words of one's own, then on: in the field for words a digit would be a word. */
function choices(dialog: QuestionDialog, asked: Question, given: GivenAnswer & { other: string }): KeyStep {
  const own = dialog.options[asked.options.length]
  for (const [place, { label }] of asked.options.entries()) {
    const option = dialog.options[place]
    if (!option || option.isChecked === given.selected.includes(label)) continue
    return option.isCursor ? { keys: ENTER } : { keys: towards(dialog.options, option) }
  }
  if (given.other !== '' && own && OWN_WORDS.test(own.label)) {
    return own.isCursor ? { keys: typed(given.other) } : { keys: towards(dialog.options, own) }
  }
  if (given.other !== '' && own && !sameStart(own.label, given.other)) return { cannot: 'someone else typed here' }
  if (!dialog.submit) return NO_FIT
  return dialog.submit.isCursor ? { keys: ENTER } : { keys: DOWN }
}

/** The last look before the answers count: each has to be the one that was given, the whole of it (I2). */
function reviewStep(shown: readonly string[], goal: Extract<DialogGoal, { kind: 'answer' }>): KeyStep {
  const isRight = goal.questions.every((_, index) => {
    const { selected = [], other = '' } = goal.answers.find(({ question }) => question === index) ?? {}
    return isShownAs([...selected, typeable(other)], shown[index] ?? '')
  })
  const isWhole = shown.length === goal.questions.length
  return isRight && isWhole ? { keys: '1', isLast: true } : { cannot: 'the terminal shows other answers' }
}

/** The parts of an answer stand behind each other, words of one's own in quotes. The screen breaks lines where it likes. */
function isShownAs(parts: readonly string[], shown: string): boolean {
  let rest = `,${shown.replace(/\s+/g, '')}`
  for (const part of parts.map((text) => text.replace(/\s+/g, '')).filter((text) => text !== '')) {
    const form = [part, `"${part}"`, JSON.stringify(part)].find((text) => rest.startsWith(`,${text}`))
    if (form === undefined) return false
    rest = rest.slice(1 + form.length)
  }
  return rest === ''
}

function entered(shown: string, message: string): KeyStep {
  return sameStart(shown, message) ? { keys: ENTER, isLast: true } : { cannot: 'someone else typed here' }
}

function sameStart(shown: string, message: string): boolean {
  const start = shown.replace(/\s+/g, '')
  return start !== '' && typed(message).replace(/\s+/g, '').startsWith(start)
}

/** One step of the cursor: it is looked at again after each. */
function towards(options: readonly DialogOption[], wanted: DialogOption): string {
  const cursor = options.findIndex(({ isCursor }) => isCursor)
  // Below all options there is a row to go on from.
  return cursor < 0 || options.indexOf(wanted) < cursor ? UP : DOWN
}

function typed(message: string): string {
  return message.slice(0, MAX_TYPED)
}

/** Words as keys: a line break would send them off, and other control characters would be commands. */
function typeable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go.
  return text.replace(/[\x00-\x1f\x7f-\x9f\s]+/g, ' ').trim()
}
