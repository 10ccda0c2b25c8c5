import { basename, resolve } from 'node:path'
import { canonicalJson } from '@holdpoint/schema/json'
import type { PermissionDialog, QuestionDialog, ScreenDialog } from './screen-dialog.ts'

export interface ShownCall {
  readonly name: string
  readonly input: unknown
  /** Of the subagent that made it. */
  readonly agentId?: string
}

/** Of a call that does not fit on the screen, so many characters at least must be there. */
const MIN_TAIL = 40
/** Behind the kind of tool, in a dialog about a subagent's call. */
const FROM_AGENT = / · from the \S.* agent$/
/** At the end of that line, where several dialogs wait. */
const OF_SEVERAL = /\s{2,}\d+ of \d+$/
const FILE_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])

/**
 * Whether the dialog on the screen is about this very call. The screen breaks lines where it likes, so what is compared
 * is the text without its blanks; everything that the dialog shows has to be in the call, and the other way round as far
 * as there is room. In doubt it is not: then a person answers at the terminal, as without us (I4).
 */
export function showsCall(dialog: ScreenDialog, call: ShownCall, cwd: string): boolean {
  const input = isFields(call.input) ? call.input : {}
  switch (dialog.kind) {
    case 'plan':
      return call.name === 'ExitPlanMode'
    case 'review':
      return call.name === 'AskUserQuestion'
    case 'question':
      return call.name === 'AskUserQuestion' && questionShown(dialog, input) !== undefined
    case 'permission':
      return isFrom(dialog, call) && showsPermission(dialog, call.name, input, cwd)
    default:
      return dialog satisfies never
  }
}

/**
 * The calls that the dialog may be about. None where they are not the same to the last character: of `touch a b` and
 * `touch ab`, on a screen that breaks lines, nobody can tell which one a yes would be for.
 */
export function shownCalls<Call extends ShownCall>(
  dialog: ScreenDialog,
  calls: readonly Call[],
  cwd: string,
): readonly Call[] {
  const fitting = calls.filter((call) => showsCall(dialog, call, cwd))
  const kinds = new Set(fitting.map(({ name, input }) => canonicalJson([name, input])))
  return dialog.kind === 'permission' && kinds.size > 1 ? [] : fitting
}

/** The place of the question that is on the screen, among those of the call. */
export function questionShown(dialog: QuestionDialog, input: Readonly<Record<string, unknown>>): number | undefined {
  const questions = Array.isArray(input.questions) ? input.questions : []
  const index = questions.findIndex((entry) => {
    if (!isFields(entry) || squashed(entry.question) !== squashed(dialog.question)) return false
    const options = Array.isArray(entry.options) ? entry.options : []
    return options.every((option, place) => {
      const shown = dialog.options[place]
      return shown && isFields(option) && squashed(option.label).startsWith(squashed(shown.label))
    })
  })
  return index < 0 ? undefined : index
}

type Fields = Readonly<Record<string, unknown>>

/** The same call can be made by a subagent and beside it. */
function isFrom({ heading }: PermissionDialog, { agentId }: ShownCall): boolean {
  return !FROM_AGENT.test(heading?.[0]?.replace(OF_SEVERAL, '') ?? '') || agentId !== undefined
}

function showsPermission(dialog: PermissionDialog, name: string, input: Fields, cwd: string): boolean {
  const kind = dialog.heading?.[0]?.replace(OF_SEVERAL, '').replace(FROM_AGENT, '')
  if (name === 'Bash') return isKind(kind, 'Bash command') && isShown(bodyText(dialog), input.command, dialog)
  if (FILE_TOOLS.has(name)) return showsFile(dialog, input, cwd)
  if (name === 'WebFetch') {
    const { url, prompt } = input
    return isKind(kind, 'Fetch') && squashed(bodyText(dialog)) === squashed(`url: ${url} prompt: ${prompt}`)
  }
  // Only whole: of the end of an input nobody can tell which tool it is for.
  if (kind === undefined || kind === 'Bash command' || kind === 'Fetch') return false
  return name.startsWith('mcp__') ? showsFields(dialog, name, input) : showsValue(dialog, name, input)
}

/** The first line of a heading; one that is cut off fits everything. */
function isKind(shown: string | undefined, wanted: string): boolean {
  return shown === undefined || shown === wanted
}

function bodyText({ body }: PermissionDialog): string {
  return body.map((line) => line.replace(/^ │ ?/, '')).join('\n')
}

function isShown(shown: string, given: unknown, dialog: PermissionDialog): boolean {
  if (typeof given !== 'string' || given === '') return false
  const [screen, call] = [squashed(shown), squashed(given)]
  return dialog.heading ? screen === call : screen.length >= MIN_TAIL && call.endsWith(screen)
}

function showsFile(dialog: PermissionDialog, input: Fields, cwd: string): boolean {
  const path = input.file_path ?? input.notebook_path
  if (typeof path !== 'string') return false
  if (!dialog.question.endsWith(` ${basename(path)}?`)) return false
  const named = dialog.heading?.slice(1).join('')
  if (named !== undefined && resolve(cwd, named) !== resolve(cwd, path)) return false
  const written = squashed(textsIn(input).join('\n'))
  const changes = dialog.body.flatMap(/ create /.test(dialog.question) ? newLine : changedLine)
  return changes.length > 0 && changes.every((text) => written.includes(squashed(text)))
}

/** A line of a file that is new: its number, and what it holds. A long one goes on without a number. */
function newLine(line: string): string[] {
  return [line.replace(/^\s*\d+ /, '')]
}

/** What a line of a diff takes away or puts in; nothing for what stays. */
function changedLine(line: string): string[] {
  const [, text] = /^\s*\d+ [+-](.*)$/.exec(line) ?? []
  return text === undefined ? [] : [text]
}

/** A tool with one value, which stands behind the tool's own name: that, the whole of it, and nothing else. */
function showsValue(dialog: PermissionDialog, name: string, input: Fields): boolean {
  const [, shown = '', value] = /^([^(]*)\((.*)\)$/s.exec(bodyText(dialog).trim()) ?? []
  const [given, another] = Object.values(input)
  if (value === undefined || given === undefined || another !== undefined) return false
  return spelled(shown) === spelled(name) && [given, JSON.stringify(given)].map(squashed).includes(squashed(value))
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

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
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
