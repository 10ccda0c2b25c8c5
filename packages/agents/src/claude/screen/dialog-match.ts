import { basename, resolve } from 'node:path'
import { canonicalJson } from '@holdpoint/schema/json'
import type { PermissionDialog, QuestionDialog, ScreenDialog } from './screen-dialog.ts'

export interface ShownCall {
  readonly name: string
  readonly input: unknown
  /** Of the subagent that made it. */
  readonly agentId?: string
}

/** Whether a dialog is about a call: certainly, certainly not, or nobody can tell. */
type Fit = 'its' | 'unclear' | 'other'

/** Of a call that does not fit on the screen, so many characters at least must be there. */
const MIN_TAIL = 40
/** Behind the kind of tool, in a dialog about a subagent's call. */
const FROM_AGENT = / · from the \S.* agent$/
/** At the end of that line, where several dialogs wait. */
const OF_SEVERAL = /\s{2,}\d+ of \d+$/
const FILE_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
/** Tools that are never asked about in the words of other tools. */
const OWN_DIALOG = new Set([...FILE_TOOLS, 'Bash', 'WebFetch', 'AskUserQuestion', 'ExitPlanMode'])
const PROCEED = 'Do you want to proceed?'
const FETCH = 'Do you want to allow Claude to fetch this content?'
const OF_FILE = /^Do you want to (create|overwrite|make this edit to) (.*)\?$/
const OF_MCP = /^[^│].* Tool: \(MCP\)$/

/** Whether the dialog on the screen shows this call, the whole of it. Others may look the same: see `shownCalls`. */
export function showsCall(dialog: ScreenDialog, call: ShownCall, cwd: string): boolean {
  return fitOf(dialog, call, cwd) === 'its'
}

/**
 * The calls that the dialog is about: several only where they are the same to the last character. None where it may be
 * about another one as well: of `touch a b` and `touch ab`, on a screen that breaks lines, nobody can tell which one a
 * yes would be for. Nor is a call the right one because no other fits: the right one may be drawn in a way that it does
 * not fit, and another be made to fit what it draws (I2).
 */
export function shownCalls<Call extends ShownCall>(
  dialog: ScreenDialog,
  calls: readonly Call[],
  cwd: string,
): readonly Call[] {
  const possible = possibleCalls(dialog, calls, cwd)
  return isOneCall(possible) ? possible.filter((call) => showsCall(dialog, call, cwd)) : []
}

/** The calls of which nobody can say that the dialog is not about them. */
export function possibleCalls<Call extends ShownCall>(
  dialog: ScreenDialog,
  calls: readonly Call[],
  cwd: string,
): readonly Call[] {
  return calls.filter((call) => fitOf(dialog, call, cwd) !== 'other')
}

/** Whether they are all the same to the last character. */
export function isOneCall(calls: readonly ShownCall[]): boolean {
  return new Set(calls.map(({ name, input }) => canonicalJson([name, input]))).size === 1
}

/**
 * The screen breaks lines where it likes, so what is compared is the text without its blanks; everything that the dialog
 * shows has to be in the call, and the other way round as far as there is room. In doubt it is not its: then a person
 * answers at the terminal, as without us (I4).
 */
function fitOf(dialog: ScreenDialog, call: ShownCall, cwd: string): Fit {
  const input = isFields(call.input) ? call.input : {}
  switch (dialog.kind) {
    case 'plan':
      return call.name === 'ExitPlanMode' ? 'its' : 'other'
    case 'review':
      if (call.name !== 'AskUserQuestion') return 'other'
      return haveTwins(questionsOf(input)) ? 'unclear' : 'its'
    case 'question':
      if (call.name !== 'AskUserQuestion') return 'other'
      return questionShown(dialog, input) === undefined ? 'unclear' : 'its'
    case 'permission':
      return isFrom(dialog, call) ? permissionFit(dialog, call.name, input, cwd) : 'other'
    default:
      return dialog satisfies never
  }
}

/** The place of the question that is on the screen, among those of the call. None where a screen cannot tell them apart. */
export function questionShown(dialog: QuestionDialog, input: Readonly<Record<string, unknown>>): number | undefined {
  const questions = questionsOf(input)
  if (haveTwins(questions)) return undefined
  const index = questions.findIndex(({ text, labels }) => {
    if (text !== squashed(dialog.question)) return false
    return labels.every((label, place) => {
      const shown = dialog.options[place]
      return shown && label.startsWith(squashed(shown.label))
    })
  })
  return index < 0 ? undefined : index
}

/** A question and the labels of its options, without blanks. */
interface SquashedQuestion {
  readonly text: string
  readonly labels: readonly string[]
}

function questionsOf({ questions }: Readonly<Record<string, unknown>>): readonly SquashedQuestion[] {
  return listOf(questions).map(({ question, options }) => ({
    text: squashed(question),
    labels: listOf(options).map(({ label }) => squashed(label)),
  }))
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map((entry) => (isFields(entry) ? entry : {})) : []
}

/** Whether two questions, or two options of one, differ in their blanks at the most: one would get the other's answer (I2). */
function haveTwins(questions: readonly SquashedQuestion[]): boolean {
  return [questions.map(({ text }) => text), ...questions.map(({ labels }) => labels)].some(
    (texts) => new Set(texts).size < texts.length,
  )
}

type Fields = Readonly<Record<string, unknown>>

/** The same call can be made by a subagent and beside it. */
function isFrom({ heading }: PermissionDialog, { agentId }: ShownCall): boolean {
  return !FROM_AGENT.test(heading?.[0]?.replace(OF_SEVERAL, '') ?? '') || agentId !== undefined
}

/**
 * Each tool has a question and a kind of dialog of its own, and is taken for no other's. Of the end of a call, where the
 * rest is not on the screen, nobody can say that it is not that of another call of the kind.
 */
function permissionFit(dialog: PermissionDialog, name: string, input: Fields, cwd: string): Fit {
  const kind = dialog.heading?.[0]?.replace(OF_SEVERAL, '').replace(FROM_AGENT, '')
  const [, action = '', file] = OF_FILE.exec(dialog.question) ?? []
  if (file !== undefined) {
    if (!FILE_TOOLS.has(name) || (kind !== undefined && isOtherFile(file, input, cwd))) return 'other'
    const isIts = isAskedSo(name, kind, action) && namesFile(dialog, input, cwd) && showsFile(dialog, action, input)
    return isIts ? 'its' : 'unclear'
  }
  if (dialog.question === FETCH) return name === 'WebFetch' ? pageFit(dialog, kind, input) : 'other'
  if (dialog.question !== PROCEED) return 'unclear'
  return kind === 'Bash command' || isEndOfCommand(dialog)
    ? commandFit(dialog, name, input)
    : toolFit(dialog, kind, name, input)
}

function isAskedSo(name: string, kind: string | undefined, action: string): boolean {
  switch (action) {
    case 'create':
      return name === 'Write' && (kind === undefined || kind === 'Create file')
    case 'overwrite':
      return name === 'Write' && kind === 'Overwrite file'
    default:
      return name === 'Edit' && kind === 'Edit file'
  }
}

/** Every open call on a file of that name counts, wherever it is: the path is drawn from a folder that may not be ours. */
function isOtherFile(file: string, input: Fields, cwd: string): boolean {
  const path = input.file_path ?? input.notebook_path
  if (!isPlain(path)) return false
  return ![basename(path), basename(resolve(cwd, path))].some((given) => squashed(given) === squashed(file))
}

function namesFile({ heading, question }: PermissionDialog, { file_path: path }: Fields, cwd: string): boolean {
  if (typeof path !== 'string' || OF_FILE.exec(question)?.[2] !== basename(path)) return false
  return heading === undefined || resolve(cwd, heading.slice(1).join('')) === resolve(cwd, path)
}

function pageFit(dialog: PermissionDialog, kind: string | undefined, { url, prompt }: Fields): Fit {
  const shown = squashed(bodyText(dialog))
  if (kind === 'Fetch' && shown === squashed(`url: ${url} prompt: ${prompt}`)) return 'its'
  return kind === 'Fetch' && isPlain(url) && !shown.startsWith(squashed(`url: ${url}`)) ? 'other' : 'unclear'
}

/** A command that does not fit on the screen stands behind a line of its own; the input of other tools does so further in. */
function isEndOfCommand({ heading, body }: PermissionDialog): boolean {
  return heading === undefined && body.every((line) => line.startsWith(' │'))
}

/** Other tools that run commands draw them alike. Of a command Claude Code may leave out the beginning, `cd … &&`. */
function commandFit(dialog: PermissionDialog, name: string, { command }: Fields): Fit {
  if (typeof command !== 'string') return name === 'Bash' ? 'unclear' : 'other'
  const [shown, given] = [squashed(bodyText(dialog)), squashed(command)]
  if (name === 'Bash' && given !== '' && isWhole(dialog, shown, given)) return 'its'
  return dialog.heading && isPlain(command) && !given.includes(shown) ? 'other' : 'unclear'
}

/** A tool without a dialog of its own. A server may call its tools what it likes, so each of its calls may be the one. */
function toolFit(dialog: PermissionDialog, kind: string | undefined, name: string, input: Fields): Fit {
  if (OWN_DIALOG.has(name)) return 'other'
  // Only whole: of the end of an input nobody can tell which tool it is for.
  if (kind !== 'Tool use' && kind !== 'Read file') return 'unclear'
  const isOfServer = OF_MCP.test(dialog.heading?.[1] ?? '')
  if (name.startsWith('mcp__')) return isOfServer && showsFields(dialog, name, input) ? 'its' : 'unclear'
  if (isOfServer) return 'other'
  const [, shown, value] = /^([^(]*)\((.*)\)$/s.exec(bodyText(dialog).trim()) ?? []
  if (shown === undefined) return 'unclear'
  if (spelled(shown) !== spelled(name)) return 'other'
  return (name === 'Read') === (kind === 'Read file') && isOnlyValue(input, value) ? 'its' : 'unclear'
}

/**
 * Whether a screen shows nothing but this text, blanks aside. Claude Code leaves out what a terminal would take for
 * commands, and writes other words for a few of its own signs, which stand in angle brackets or behind an empty line.
 */
function isPlain(text: unknown): text is string {
  return typeof text === 'string' && /^[\t\n\x20-\x7e]*$/.test(text) && !/<|\n\s*\n/.test(text)
}

function bodyText({ body }: PermissionDialog): string {
  return body.map((line) => line.replace(/^ │ ?/, '')).join('\n')
}

/** All of it, or, where it does not fit on the screen, enough of its end. */
function isWhole({ heading }: PermissionDialog, shown: string, given: string): boolean {
  return heading ? shown === given : shown.length >= MIN_TAIL && given.endsWith(shown)
}

function showsFile(dialog: PermissionDialog, action: string, input: Fields): boolean {
  if (action === 'create') return showsContent(dialog, input.content)
  const rows = dialog.heading && diffRows(dialog.body)
  if (!rows) return false
  return action === 'overwrite' ? showsNewContent(rows, input.content) : showsChange(rows, input)
}

/** Every line of a new file behind its number; a long one goes on without one. */
function showsContent(dialog: PermissionDialog, content: unknown): boolean {
  if (typeof content !== 'string') return false
  const lines = content.replace(/\r?\n$/, '').split('\n')
  const numbered = lines.map((line, index) => `${index + 1}${squashed(line)}`).join('')
  return isWhole(dialog, squashed(dialog.body.join('')), numbered)
}

/** What is to be there afterwards, from the first line to the last. */
function showsNewContent(rows: readonly DiffRow[], content: unknown): boolean {
  return typeof content === 'string' && rows.some(({ sign }) => sign !== ' ') && sideOf(rows, '+') === squashed(content)
}

/** What a diff takes away and puts in is all the call's, and all of what the call says is there. */
function showsChange(rows: readonly DiffRow[], { old_string: from, new_string: to }: Fields): boolean {
  if (typeof from !== 'string' || typeof to !== 'string') return false
  const source = { '-': squashed(from), '+': squashed(to) }
  const changes = rows.flatMap(({ sign, text }) => (sign === ' ' ? [] : [source[sign].includes(text)]))
  const isAllThere = sideOf(rows, '-').includes(source['-']) && sideOf(rows, '+').includes(source['+'])
  return changes.length > 0 && changes.every(Boolean) && isAllThere
}

function sideOf(rows: readonly DiffRow[], side: '-' | '+'): string {
  return rows.flatMap(({ sign, text }) => (sign === side || sign === ' ' ? [text] : [])).join('')
}

interface DiffRow {
  readonly sign: ' ' | '-' | '+'
  text: string
}

/** Between two parts of a diff lines are left out. */
const LEFT_OUT = /^\s*\.{3}\s*$/

/** A long line goes on below, where no number stands in the column of the numbers. */
function diffRows(body: readonly string[]): DiffRow[] | undefined {
  const [number] = /^\s*\d+(?= [ +-])/.exec(body[0] ?? '') ?? []
  if (number === undefined || body.some((line) => LEFT_OUT.test(line))) return undefined
  const rows: DiffRow[] = []
  for (const line of body) {
    const sign = /^\s*\d+$/.test(line.slice(0, number.length)) ? (line[number.length + 1] ?? ' ') : undefined
    const text = squashed(line.slice(number.length + 2))
    const last = rows.at(-1)
    if (sign === ' ' || sign === '-' || sign === '+') rows.push({ sign, text })
    else if (sign === undefined && last) last.text += text
    else return undefined
  }
  return rows
}

/** The one value of a tool, the whole of it. */
function isOnlyValue(input: Fields, shown: string | undefined): boolean {
  const [given, another] = Object.values(input)
  if (given === undefined || another !== undefined) return false
  return [given, JSON.stringify(given)].map(squashed).includes(squashed(shown))
}

/** The tool of an MCP server: its name stands above its input, and of that every field in its order, and nothing else. */
function showsFields(dialog: PermissionDialog, name: string, input: Fields): boolean {
  const [, heading = ''] = dialog.heading ?? []
  const [, server = '', ...tool] = name.split('__')
  if (spelled(heading) !== spelled(`${server} ${tool.join('__')} Tool: (MCP)`)) return false
  let rest = squashed(dialog.body.map((line) => line.replace(/^ {3}│ ?/, '')).join('\n'))
  for (const [key, value] of Object.entries(input)) {
    // A long text stands below its name, without quotes.
    const shown = [JSON.stringify(value), ...(typeof value === 'string' ? [value] : [])]
      .map((form) => squashed(`${key}:${form}`))
      .find((form) => rest.startsWith(form))
    if (shown === undefined) return false
    rest = rest.slice(shown.length)
  }
  return rest === ''
}

function squashed(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, '') : ''
}

function spelled(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
