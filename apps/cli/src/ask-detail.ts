import { besidesAnswer } from '@holdpoint/core/besides-answer'
import { raiserOf } from '@holdpoint/core/call-facts'
import { fieldsOf } from '@holdpoint/core/form-fields'
import type { Ask, AskFile, Form, Question } from '@holdpoint/schema/ask'
import { shortId } from './abbreviation.ts'
import { fenced, fencedJson, fencedLine, fencedProse, type Width, wrapped } from './fence.ts'
import { typeWord } from './form-fields.ts'
import { hasOptionNumbers } from './option-numbers.ts'
import { outcomeWords } from './outcome-words.ts'
import { terminalJson, terminalText } from './terminal-text.ts'
import { ageWords, timeWords } from './time-words.ts'

export interface DetailOptions extends Width {
  readonly sessionTitle?: string | undefined
  readonly now: number
  /** Leaves out how to answer: the person is just doing that. */
  readonly answering?: boolean
}

/** All of one ask. Whatever somebody else wrote stands behind a bar, and all of it is there (I6). */
export function askDetail(ask: Ask, options: DetailOptions): string[] {
  const ways = options.answering || ask.outcome ? [] : waysToAnswer(ask, options)
  return [...facts(ask, options), ...content(ask, options), ...saying(ask, options), ...ways]
}

function fileWords({ path, use, sha256 }: AskFile): string {
  return `${use} ${path} (${sha256 === null ? 'not there' : `SHA-256 ${sha256.slice(0, 12)}…`})`
}

function facts(ask: Ask, { now, columns, sessionTitle = '' }: DetailOptions): string[] {
  const { context, tool, flags, expiresAt, outcome } = ask
  const server = tool?.mcpServer
  const raiser = raiserOf(ask)
  const said: Record<string, string | undefined> = {
    Title: ask.title,
    Session: `${sessionTitle} (${ask.sessionId}, agent ${ask.agent})`.trim(),
    'Raised by': raiser === undefined ? undefined : `the program ${raiser}, not the agent`,
    Subagent: ask.subagentName === undefined ? ask.subagent : `${ask.subagentName} (${ask.subagent})`,
    Tool: tool && `${tool.name}${server ? ` of MCP server ${server.name} (${server.source})` : ''}`,
    Folder: context.cwd ?? 'not known',
    File: context.filePath,
    Address: context.url,
    Query: context.query,
    Blocked: context.blockedPath,
    Files: ask.files && ask.files.length > 0 ? ask.files.map(fileWords).join(', ') : undefined,
    'Not known': ask.filesUnknown,
    Replaces: ask.replaces && `${ask.replaces}, which showed what has changed since`,
    'Why it asks': ask.decisionReason,
  }
  return [
    ['Ask', `${ask.id} (${ask.kind}), raised ${ageWords(now - ask.raisedAt)} ago`] as const,
    ...Object.entries(said).map(([name, value]) => [name, value && terminalText(value)] as const),
    ['Rule', ask.matchedAskRule && terminalJson(ask.matchedAskRule)] as const,
    ['Caution', flags.defaultToNo ? 'marked as one to say no to unless you are sure' : undefined] as const,
    ['Expires', expiresAt === undefined ? undefined : timeWords(expiresAt)] as const,
    ['Outcome', outcome && outcomeWords(outcome, { now, agent: ask.agent })] as const,
  ].flatMap(([name, value]) =>
    value === undefined ? [] : wrapped(value, { columns, first: name.padEnd(12), next: `${' '.repeat(10)}┆ ` }),
  )
}

function content(ask: Ask, width: Width): string[] {
  const { context, questions, plan, form } = ask
  const { command, diff, diffOmitted } = context
  const lines: string[] = []
  if (command !== undefined) lines.push('', 'Command:', ...fenced(command, width))
  if (diff !== undefined) lines.push('', 'Changes:', ...fenced(diff, width))
  if (diffOmitted !== undefined) lines.push('', 'No changes can be shown:', ...fenced(diffOmitted, width))
  if (plan) lines.push('', ...planLines(plan.text, width))
  questions?.forEach((question, index) => {
    lines.push('', ...questionLines(question, { ...width, number: index + 1, count: questions.length }))
  })
  if (form) lines.push('', ...formLines(form, width))
  return [...lines, ...inputLines(ask, width)]
}

function planLines(text: string, width: Width): string[] {
  return text === '' ? ['The agent wrote no plan.'] : ['The agent says this is its plan:', ...fencedProse(text, width)]
}

function questionLines(question: Question, at: Width & { number: number; count: number }): string[] {
  const name = at.count === 1 ? '' : ` (question ${at.number} of ${at.count})`
  const isNumbered = hasOptionNumbers(question)
  const choice = `${question.multiSelect ? 'any number' : 'one'} of them${isNumbered ? ', by number' : ''}, or your own words`
  return [
    `The agent asks${name}:`,
    ...(question.header === undefined ? [] : fencedLine(`[${question.header}]`, at)),
    ...fencedProse(question.question, at),
    `Options (${choice}):`,
    ...question.options.flatMap(({ label, description, preview }, index) => [
      ...fencedLine(`${isNumbered ? `${index + 1}.` : '-'} ${label}`, at),
      ...(description === undefined ? [] : fencedLine(`    ${description}`, at)),
      ...(preview === undefined ? [] : preview.split('\n').flatMap((line) => fencedLine(`    : ${line}`, at))),
    ]),
  ]
}

function formLines(form: Form, width: Width): string[] {
  const lines = [
    'A server asks, by the name of:',
    ...fencedLine(form.server, width),
    'It says:',
    ...fencedProse(form.message, width),
  ]
  if (form.url !== undefined) lines.push('It wants you to open:', ...fencedLine(form.url, width))
  const fields = fieldsOf(form.schema)
  if (fields.length === 0) return lines
  lines.push('Fields:')
  for (const { name, control, required, title, description } of fields) {
    const choices = 'choices' in control ? control.choices : []
    lines.push(
      ...fencedLine(
        `- ${name} (${typeWord(control)}${required ? ', required' : ''})${title === name ? '' : `: ${title}`}`,
        width,
      ),
    )
    if (description !== undefined) lines.push(...fencedLine(`    ${description}`, width))
    if (choices.length > 0)
      lines.push(...fencedLine(`    one of: ${choices.map(({ value }) => JSON.stringify(value)).join(', ')}`, width))
  }
  return lines
}

/** What is shown above already is left out; everything else that an allow would pass on is here. */
function inputLines(ask: Ask, width: Width): string[] {
  const { context, plan } = ask
  const above: Record<string, unknown> = { command: context.command, plan: plan?.text, planFilePath: plan?.filePath }
  const input = Object.entries(besidesAnswer(ask) ?? {})
  const rest = input.filter(([name, value]) => value === undefined || above[name] !== value)
  if (rest.length === 0) return []
  const title = rest.length === input.length ? 'The whole input:' : 'The rest of the input:'
  return ['', title, ...fencedJson(Object.fromEntries(rest), width)]
}

function saying(ask: Ask, width: Width): string[] {
  const { agentSays } = ask
  const who = raiserOf(ask) === undefined ? 'agent' : 'program'
  return agentSays === undefined ? [] : ['', `The ${who} says:`, ...fencedProse(agentSays, width)]
}

function waysToAnswer(ask: Ask, width: Width): string[] {
  const ways = {
    approval: ['allow', 'deny --message "…"'],
    question: [...chooseWays(ask.questions ?? []), 'cancel'],
    plan: ['allow', 'deny --message "…"'],
    form: [ask.form?.mode === 'url' ? 'submit' : 'submit --field name=value', 'decline'],
  }[ask.kind]
  const lines = ['', 'Answer with:', ...ways.map((way) => `  holdpoint answer ${shortId(ask.id)} ${way}`)]
  if (ask.remember && !ask.flags.noRemember) {
    lines.push(
      'With --remember exactly this is allowed again, until the session ends:',
      ...fencedLine(ask.remember.rule, width),
    )
  }
  return lines
}

function chooseWays(questions: readonly Question[]): string[] {
  const options = questions.map((question) => (hasOptionNumbers(question) ? 'NUMBER' : '"…"'))
  if (options.length === 1) return [`answer --choose ${options[0]}`, 'answer --other "your own words"']
  return [
    `answer ${options.map((option, index) => `--choose ${index + 1}=${option}`).join(' ')}`,
    'answer --other 1="your own words" …',
  ]
}
