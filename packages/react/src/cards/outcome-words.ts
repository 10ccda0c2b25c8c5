import { noAnswerWord } from '@holdpoint/core/no-answer-word'
import { viaWords } from '@holdpoint/core/via-words'
import { withdrawnWords } from '@holdpoint/core/withdrawn-words'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { commandField } from './edited-input.ts'

export interface OutcomeWords {
  readonly tone: 'allow' | 'deny' | 'plain'
  /** `Allowed once`, `Denied`, `Expired` … */
  readonly what: string
  /** What the person wrote or chose, or why it ended so. */
  readonly detail?: string
  /** Something the person asked for and did not get. */
  readonly caveat?: string
}

export function outcomeWords(ask: Ask, outcome: Outcome): OutcomeWords {
  const answer = outcome.answer ?? {}
  switch (outcome.kind) {
    case 'allowed':
      return allowedWords(ask, outcome, answer)
    case 'denied':
      return deniedWords(ask, outcome, answer)
    case 'answered':
      return ask.kind === 'form'
        ? { tone: 'allow', what: ask.form?.mode === 'url' ? 'Done' : 'Submitted' }
        : { tone: 'allow', what: 'Answered', ...detail(chosen(answer)) }
    case 'expired':
      return { tone: 'plain', what: 'Expired', detail: 'nobody answered in time' }
    case 'withdrawn':
      return outcome.via === 'terminal'
        ? answeredThere(ask, answer)
        : { ...WITHDRAWN, ...detail(withdrawnWhy(ask, outcome.reason)) }
    default:
      return outcome.kind satisfies never
  }
}

type Given = Readonly<Record<string, unknown>>

function allowedWords(ask: Ask, outcome: Outcome, answer: Given): OutcomeWords {
  const caveat = outcome.notRemembered === undefined ? {} : { caveat: `Not remembered: ${outcome.notRemembered}.` }
  const tone = 'allow'
  if (outcome.via === 'rule') return { tone, what: 'Allowed by a rule', ...detail(outcome.reason), ...caveat }
  if (outcome.via === 'appeal') return { tone, what: 'Allowed after an appeal' }
  if (ask.kind === 'plan') {
    const changed = answer.plan === undefined ? '' : ' with changes'
    return { tone, what: `Approved${changed}`, ...detail(modeWords(answer.permissionMode)), ...caveat }
  }
  if (answer.updatedInput !== undefined) {
    return { tone, what: 'Allowed with changes', ...detail(changedCommand(ask, answer.updatedInput)), ...caveat }
  }
  if (ask.appeal)
    return { tone, what: 'Allowed once', detail: 'for one repeat of this call, in the same turn', ...caveat }
  const remembered = answer.remember !== undefined && outcome.notRemembered === undefined
  const what = remembered ? 'Allowed and remembered' : 'Allowed once'
  return { tone, what, ...(remembered && detail(ruleMade(answer.remember))), ...caveat }
}

const WHERE = new Map<unknown, string>([
  ['session', 'in this session'],
  ['project', 'in this project'],
  ['everywhere', 'everywhere'],
])

/** The rule that an answer made, where it named one. */
function ruleMade(remember: unknown): string | undefined {
  const { rule, scope } = remember as Given
  return typeof rule === 'string' ? `${rule} ${WHERE.get(scope) ?? ''}`.trim() : undefined
}

/** What ran in place of the command that was asked for. */
function changedCommand(ask: Ask, updatedInput: unknown): string | undefined {
  const name = commandField(ask)
  const command = name === undefined ? undefined : (updatedInput as Given)[name]
  return typeof command === 'string' ? command : undefined
}

function deniedWords(ask: Ask, outcome: Outcome, answer: Given): OutcomeWords {
  const reason = typeof answer.message === 'string' ? answer.message.trim() : ''
  const tone = 'deny'
  if (outcome.via === 'rule') return { tone, what: 'Denied by a rule', ...detail(outcome.reason) }
  const none = noAnswerWord(ask.kind, answer.kind)
  if (none !== undefined) return { tone, what: none.charAt(0).toUpperCase() + none.slice(1) }
  if (ask.kind === 'plan') return { tone, what: 'Sent back', ...detail(reason) }
  return { tone, what: answer.interrupt === true ? 'Denied and stopped' : 'Denied', ...detail(reason) }
}

function detail(text: string | undefined): { detail?: string } {
  return text ? { detail: text } : {}
}

function chosen(answer: Given): string {
  if (!Array.isArray(answer.answers)) return ''
  return answer.answers
    .map((entry: { selected?: readonly string[]; other?: string }) =>
      [...(entry.selected ?? []), ...(entry.other?.trim() ? [entry.other] : [])].join(', '),
    )
    .join(' · ')
}

function modeWords(mode: unknown): string | undefined {
  if (mode === 'acceptEdits') return 'edits without asking'
  return mode === 'default' ? 'asks before each change' : typeof mode === 'string' ? mode : undefined
}

/** The agent runs in a terminal, and was answered there. */
function answeredThere(ask: Ask, answer: Given): OutcomeWords {
  const words: Readonly<Record<string, string>> = {
    allow: ask.kind === 'plan' ? 'Approved' : 'Allowed',
    deny: ask.kind === 'plan' ? 'Sent back' : 'Denied',
    answer: 'Answered',
    cancel: 'Skipped',
  }
  const what = words[typeof answer.kind === 'string' ? answer.kind : '']
  if (what === undefined) return { ...WITHDRAWN, detail: 'it was answered at its terminal' }
  const said = typeof answer.message === 'string' ? answer.message.trim() : ''
  const tone = answer.kind === 'allow' || answer.kind === 'answer' ? 'allow' : 'deny'
  return { tone, what: `${what} at its terminal`, ...detail(chosen(answer) || said) }
}

const WITHDRAWN: Pick<OutcomeWords, 'tone' | 'what'> = { tone: 'plain', what: 'Withdrawn' }

function withdrawnWhy({ agent }: Ask, reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : (withdrawnWords(reason, agent) ?? reason)
}

/** Who decided, and from where: `Ann’s phone in a browser`. Nothing where no person did. */
export function deciderWords(outcome: Outcome): string | undefined {
  if (!outcome.by) return undefined
  const { name } = outcome.by
  return outcome.via === 'rule' ? `a rule of ${name}` : `${name} ${viaWords(outcome.via)}`.trimEnd()
}
