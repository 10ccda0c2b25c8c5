import { readFileSync } from 'node:fs'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskKind, Question } from '@holdpoint/schema/ask'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import { formContent } from './form-fields.ts'
import { hasOptionNumbers } from './option-numbers.ts'

export type AnswerKind = Answer['kind']

export interface AnswerFlags {
  readonly message?: string
  readonly interrupt?: boolean
  readonly input?: string
  readonly remember?: boolean
  readonly choose?: readonly string[]
  readonly other?: readonly string[]
  readonly plan?: string
  readonly mode?: PermissionMode
  readonly field?: readonly string[]
}

/** Which answers an ask takes, and which flags go with each. A flag that has no meaning is a mistake, not ignored. */
const FLAGS: Record<AskKind, Partial<Record<AnswerKind, readonly (keyof AnswerFlags)[]>>> = {
  approval: { allow: ['input', 'remember'], deny: ['message', 'interrupt'] },
  question: { answer: ['choose', 'other'], cancel: [] },
  plan: { allow: ['plan', 'mode'], deny: ['message', 'interrupt'] },
  form: { submit: ['field'], decline: [], cancel: [] },
}

export const ANSWER_KINDS = [...new Set(Object.values(FLAGS).flatMap((answers) => Object.keys(answers)))]

/** The answer that a command line means, bound to what the ask showed (I2). */
export function answerFromFlags(ask: Ask, kind: AnswerKind, flags: AnswerFlags): Answer {
  const { digest } = ask
  const takes = FLAGS[ask.kind]
  const fitting = takes[kind]
  if (!fitting)
    throw usage(
      `This is ${ask.kind === 'approval' ? 'an' : 'a'} ${ask.kind}: it takes ${Object.keys(takes).join(' or ')}, not ${kind}.`,
    )
  for (const name of Object.keys(flags) as (keyof AnswerFlags)[]) {
    if (flags[name] !== undefined && !fitting.includes(name))
      throw usage(`--${name} cannot be used with ${kind} for this ${ask.kind}.`)
  }
  const { message, interrupt, input, remember, plan, mode } = flags
  switch (kind) {
    case 'allow':
      return {
        kind,
        digest,
        ...(input !== undefined && { updatedInput: inputObject(input) }),
        ...(remember && { remember: { scope: 'session' as const } }),
        ...(plan !== undefined && { plan: argumentText(plan) }),
        ...(mode !== undefined && { permissionMode: mode }),
      }
    case 'deny':
      return { kind, digest, ...(message !== undefined && { message }), ...(interrupt && { interrupt }) }
    case 'answer':
      return { kind, digest, answers: questionAnswers(ask.questions ?? [], flags) }
    case 'submit':
      return { kind, digest, content: ask.form ? formContent(ask.form, flags.field ?? []) : {} }
    case 'cancel':
    case 'decline':
      return { kind, digest }
    default:
      return kind satisfies never
  }
}

type Given = { question: number; selected: string[]; other?: string }

function questionAnswers(questions: readonly Question[], { choose = [], other = [] }: AnswerFlags): Given[] {
  const answers = questions.map((_, question): Given => ({ question, selected: [] }))
  for (const text of choose) {
    const { index, rest } = questionOf(questions, text, '--choose')
    answers[index]?.selected.push(labelOf(questions[index], rest))
  }
  for (const text of other) {
    const { index, rest } = questionOf(questions, text, '--other')
    const answer = answers[index]
    if (answer?.other !== undefined) throw usage(`--other was given twice for question ${index + 1}.`)
    if (answer) answer.other = rest
  }
  const missing = answers.filter(({ selected, other: words }) => selected.length === 0 && !words?.trim())
  if (missing.length > 0) {
    const numbers = missing.map(({ question }) => question + 1).join(', ')
    const example = questions.length === 1 ? '--choose "LABEL" or --other "TEXT"' : '--choose N=LABEL or --other N=TEXT'
    throw usage(`No answer to question ${numbers}: give ${example}.`)
  }
  return answers
}

/** Questions count from 1. With one question its number may be left out, and then `1=…` may also be a label. */
function questionOf(questions: readonly Question[], text: string, flag: string): { index: number; rest: string } {
  const [only] = questions
  const single = questions.length === 1 && only !== undefined
  if (single && only.options.some(({ label }) => label === text)) return { index: 0, rest: text }
  const [, number, rest = ''] = /^(\d+)=(.*)$/s.exec(text) ?? []
  if (number !== undefined && Number(number) >= 1 && Number(number) <= questions.length)
    return { index: Number(number) - 1, rest }
  if (single) return { index: 0, rest: text }
  throw usage(
    `${flag} "${terminalText(text)}": there are ${questions.length} questions. Say which one: ${flag} N=…, counting from 1.`,
  )
}

/** Labels as they are, or as they were shown, for what cannot be seen cannot be typed; or the number that was shown. */
function labelOf(question: Question | undefined, typed: string): string {
  const labels = question?.options.map(({ label }) => label) ?? []
  const isNumbered = question !== undefined && hasOptionNumbers(question)
  const found =
    labels.find((label) => label === typed) ??
    labels.find((label) => terminalText(label) === typed) ??
    onlyOne(labels.filter((label) => label.toLowerCase() === typed.toLowerCase())) ??
    (isNumbered && /^\d{1,2}$/.test(typed) ? labels[Number(typed) - 1] : undefined)
  if (found !== undefined) return found
  const known = labels.map((label, index) => `\n  ${isNumbered ? `${index + 1}. ` : ''}${terminalText(label)}`).join('')
  throw usage(`There is no option "${terminalText(typed)}". The options are:${known}\nFor your own words use --other.`)
}

function onlyOne(found: readonly string[]): string | undefined {
  return found.length === 1 ? found[0] : undefined
}

function inputObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(argumentText(text))
  } catch (error) {
    if (error instanceof CliError) throw error
    throw usage(`--input is not JSON: ${terminalText((error as Error).message)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usage('--input must be a JSON object.')
  return value as Record<string, unknown>
}

/** The text itself, or with `@` the file that holds it. */
function argumentText(text: string): string {
  if (!text.startsWith('@')) return text
  try {
    return readFileSync(text.slice(1), 'utf8')
  } catch (error) {
    throw usage(`${terminalText(text.slice(1))} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function usage(words: string): CliError {
  return new CliError(words, EXIT.usage)
}
