import { remarkField } from '@holdpoint/core/agent-remark'
import { raiserOf, realPathOf } from '@holdpoint/core/call-facts'
import { fieldsOf } from '@holdpoint/core/form-fields'
import { inputNotShownInForm } from '@holdpoint/core/input-not-shown-in-form'
import { PROGRAM_AGENT } from '@holdpoint/core/program-agent'
import type { Ask, AskContent, AskFile, Form, Question } from '@holdpoint/schema/ask'
import { shortId } from './abbreviation.ts'
import { fenced, fencedJson, fencedLine, fencedProse, type Width, wrapped } from './console/fence.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import { ageWords, timeWords } from './console/time-words.ts'
import { typeWord } from './form-fields.ts'
import { hasOptionNumbers } from './option-numbers.ts'
import { outcomeWords } from './outcome-words.ts'

export interface DetailOptions extends Width {
  readonly sessionTitle?: string | undefined
  /** What the machine of its agent is called, where there are several. */
  readonly machine?: string | undefined
  readonly now: number
  /** Leaves out how to answer: the person is just doing that. */
  readonly answering?: boolean
}

/** All of one ask. Text from others is printed behind a bar, and none of it is left out (I6). */
export function askDetail(ask: Ask, options: DetailOptions): string[] {
  const ways = options.answering || ask.outcome ? [] : waysToAnswer(ask, options)
  return [...facts(ask, options), ...content(ask, options), ...saying(ask, options), ...ways]
}

function fileWords({ path, use, sha256 }: AskFile): string {
  return `${use} ${path} (${sha256 === null ? 'does not exist' : `SHA-256 ${sha256.slice(0, 12)}...`})`
}

function subagentWords({ subagent, subagentName }: Ask): string | undefined {
  return subagentName === undefined ? subagent : `${subagentName} (${subagent})`
}

function facts(ask: Ask, { now, columns, machine, sessionTitle = '' }: DetailOptions): string[] {
  const { context, tool, flags, expiresAt, outcome } = ask
  const server = tool?.mcpServer
  const raiser = raiserOf(ask)
  const realPath = realPathOf(ask)
  const said: Record<string, string | undefined> = {
    Title: ask.title,
    Session: `${sessionTitle} (${ask.sessionId}, agent ${ask.agent})`.trim(),
    Machine: machine,
    'Raised by': raiser === undefined ? undefined : raisedWords(ask, raiser),
    Subagent: raiser === undefined ? subagentWords(ask) : undefined,
    Tool: tool && `${tool.name}${server ? ` of MCP server ${server.name} (${server.source})` : ''}`,
    Folder: context.cwd ?? 'unknown',
    File: context.filePath,
    Address: context.url,
    Query: context.query,
    'Writes to': realPath && `${realPath} (a folder in the path is a symbolic link)`,
    'Affected path': context.blockedPath === realPath ? undefined : context.blockedPath,
    Files: ask.files && ask.files.length > 0 ? ask.files.map(fileWords).join(', ') : undefined,
    'Files unknown': ask.filesUnknown,
    Replaces: ask.replaces && `${ask.replaces}, withdrawn because what it showed has changed`,
    'Asked because': ask.askedBecause?.reason,
    'The rule says': ask.askedBecause?.why,
    "Agent's reason": ask.decisionReason,
  }
  return [
    ['Ask', `${ask.id} (${ask.kind}), raised ${ageWords(now - ask.raisedAt)} ago`] as const,
    ...Object.entries(said).map(([name, value]) => [name, value && terminalText(value)] as const),
    ['Rule', ask.matchedAskRule && terminalJson(ask.matchedAskRule)] as const,
    ['Caution', flags.defaultToNo ? 'the agent marks this as high risk (default: No)' : undefined] as const,
    ['Expires', expiresAt === undefined ? undefined : timeWords(expiresAt)] as const,
    ['Outcome', outcome && outcomeWords(outcome, { now, ask })] as const,
  ].flatMap(([name, value]) =>
    value === undefined ? [] : wrapped(value, { columns, first: name.padEnd(14), next: `${' '.repeat(12)}┆ ` }),
  )
}

function content(ask: Ask, width: Width): string[] {
  const { context, questions = [], plan, form } = ask
  const { command, diff, diffOmitted } = context
  const lines: string[] = []
  if (command !== undefined) lines.push('', 'Command:', ...fenced(command, width))
  if (diff !== undefined) lines.push('', 'Changes:', ...fenced(diff, width))
  if (diffOmitted !== undefined) lines.push('', 'The changes cannot be shown:', ...fenced(diffOmitted, width))
  const parts: Record<keyof AskContent, string[]> = {
    plan: plan ? ['', ...planLines(plan.text, width)] : [],
    questions: questions.flatMap((question, index) => [
      '',
      ...questionLines(question, { ...width, number: index + 1, count: questions.length, who: whoAsks(ask) }),
    ]),
    form: form ? ['', ...formLines(form, width)] : [],
  }
  return [...lines, ...Object.values(parts).flat(), ...inputLines(ask, width)]
}

function planLines(text: string, width: Width): string[] {
  return text === '' ? ['The agent wrote no plan.'] : ['The agent says this is its plan:', ...fencedProse(text, width)]
}

function questionLines(question: Question, at: Width & { number: number; count: number; who: string }): string[] {
  const name = at.count === 1 ? '' : ` (question ${at.number} of ${at.count})`
  const isNumbered = hasOptionNumbers(question)
  const choice = `${question.multiSelect ? 'any number' : 'one'} of them${isNumbered ? ', by number' : ''}, or your own words`
  return [
    `The ${at.who} asks${name}:`,
    ...(question.header === undefined ? [] : fencedLine(`[${question.header}]`, at)),
    ...fencedProse(question.question, at),
    question.options.length === 0 ? 'It has no options: answer in your own words.' : `Options (${choice}):`,
    ...question.options.flatMap(({ label, description, preview }, index) => [
      ...fencedLine(`${isNumbered ? `${index + 1}.` : '-'} ${label}`, at),
      ...(description === undefined ? [] : fencedLine(`    ${description}`, at)),
      ...(preview === undefined ? [] : preview.split('\n').flatMap((line) => fencedLine(`    : ${line}`, at))),
    ]),
  ]
}

function formLines(form: Form, width: Width): string[] {
  const lines = [
    'A server asks. Its name:',
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
  const remark = remarkField(ask)
  const above: Record<string, unknown> = {
    command: context.command,
    plan: plan?.text,
    planFilePath: plan?.filePath,
    // Below, as the agent's words.
    ...(remark !== undefined && { [remark]: ask.agentSays }),
  }
  const input = Object.entries(inputNotShownInForm(ask) ?? {})
  const rest = input.filter(([name, value]) => value === undefined || above[name] !== value)
  if (rest.length === 0) return []
  const title = rest.length === input.length ? 'The whole input:' : 'The rest of the input:'
  return ['', title, ...fencedJson(Object.fromEntries(rest), width)]
}

function raisedWords({ agent }: Ask, raiser: string): string {
  return agent === PROGRAM_AGENT
    ? `a program, with the credential "${raiser}"`
    : `the program "${raiser}", not the agent`
}

function whoAsks(ask: Ask): 'agent' | 'program' {
  return raiserOf(ask) === undefined ? 'agent' : 'program'
}

function saying(ask: Ask, width: Width): string[] {
  const { agentSays } = ask
  return agentSays === undefined ? [] : ['', `The ${whoAsks(ask)} says:`, ...fencedProse(agentSays, width)]
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
      'With --remember, exactly this is allowed without asking until the session ends:',
      ...fencedLine(ask.remember.rule, width),
    )
  }
  return lines
}

function chooseWays(questions: readonly Question[]): string[] {
  const options = questions.map((question) => (hasOptionNumbers(question) ? 'NUMBER' : '"…"'))
  if (options.length === 1) {
    const isOpen = questions[0]?.options.length === 0
    return [...(isOpen ? [] : [`answer --choose ${options[0]}`]), 'answer --other "your own words"']
  }
  return [
    `answer ${options.map((option, index) => `--choose ${index + 1}=${option}`).join(' ')}`,
    'answer --other 1="your own words" …',
  ]
}
