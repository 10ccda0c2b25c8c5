/** One choice of a dialog, as it stands on the screen. */
export interface DialogOption {
  /** What selects it; options past the ninth have none. */
  readonly digit: string | undefined
  /** The first line of its words. */
  readonly label: string
  readonly isCursor: boolean
  /** Only where several can be chosen. */
  readonly isChecked?: boolean
}

interface DialogBase {
  readonly options: readonly DialogOption[]
  /** The screen's own lines that make it this dialog: the same lines, the same dialog. */
  readonly lines: readonly string[]
}

/** Claude Code asks whether a tool may run. */
export interface PermissionDialog extends DialogBase {
  readonly kind: 'permission'
  /** What stands above the call: the kind of tool, tips, the agent's remark. Absent where it does not fit on the screen. */
  readonly heading?: readonly string[]
  /** The call, as far as it fits on the screen: then it is its end that is there. */
  readonly body: readonly string[]
  /** The question itself. */
  readonly question: string
  /** Whether Tab lets words be added to the option under the cursor. */
  readonly canAmend: boolean
}

export interface PlanDialog extends DialogBase {
  readonly kind: 'plan'
  /** The name of the file that holds the plan. */
  readonly fileName?: string
}

export interface QuestionDialog extends DialogBase {
  readonly kind: 'question'
  readonly question: string
  readonly isMulti: boolean
  /** Where Enter goes on from a question with several choices; absent where choosing goes on by itself. */
  readonly submit?: { readonly isCursor: boolean }
}

/** The last look at the answers to several questions. */
export interface ReviewDialog extends DialogBase {
  readonly kind: 'review'
  readonly answers: readonly string[]
}

export type ScreenDialog = PermissionDialog | PlanDialog | QuestionDialog | ReviewDialog

/**
 * The columns in which Claude Code draws the options of each kind of dialog. What it quotes of an agent's it indents, so a
 * rule or an option that an agent has drawn never begins where these do.
 */
const COLUMNS = { question: 0, permission: 1, plan: 3 } as const
/** Of all dialogs but the plan's, which is set in by two. */
const RULE = /^─{10,}$/
const THIN_RULE = /^╌{10,}$/
const PLAN_RULE = /^ {2}─{10,}$/
const OPTION = /^( *)(❯| ) (\d{1,2})\. (?:\[(.)\] )?(.*)$/
/** What may stand below the options. Anything else, the prompt above all, and the dialog is not in front. */
const FOOTER = /^\s*(Esc to |Enter to |ctrl\+g to |❯? *(\d\. )?Chat about this)/
const AMENDS = /· Tab to amend(?: ·|\s*$)/
const TABS = /^\s*(←\s+)?[☐☒✔]\s/
const ASKS = /^ Do you want to /

/**
 * Reads the dialog that Claude Code shows, from the screen alone. Measured on the version in `docs/claude-code.md`; what
 * it does not know for sure is no dialog (I4). Text of the agent can look like one. Outside of a dialog it stands above the
 * prompt, and a dialog has nothing below it; inside of one it is set in, and the dialog is the whole of what hangs from the
 * only rule on the screen: where there are two, nobody can tell which of them is its own.
 */
export function readDialog(screen: readonly string[]): ScreenDialog | undefined {
  const bottom = screen.findLastIndex((line) => line.trim() !== '')
  const options = readOptions(screen, bottom)
  switch (options?.column) {
    case COLUMNS.question:
      return questionOrReview(screen, bottom, options)
    case COLUMNS.permission:
      return permissionDialog(screen, bottom, options)
    case COLUMNS.plan:
      return planDialog(screen, bottom, options)
    default:
      return undefined
  }
}

/** All that stands above the options: which dialog it is, wherever its cursor is. Of several it has the number. */
export function askedIn({ lines }: ScreenDialog): string {
  const first = lines.findLastIndex((line) => /^\s*❯?\s*1\. /.test(line))
  return lines.slice(0, first).join('\n')
}

interface Options {
  readonly list: readonly DialogOption[]
  /** Where the cursor stands, in front of the numbers. */
  readonly column: number
  readonly first: number
  /** The line of the last option. */
  readonly last: number
}

/** From the bottom up: numbered lines in one column, with words that go on below them, one of them under the cursor. */
function readOptions(screen: readonly string[], bottom: number): Options | undefined {
  const found: (DialogOption & { number: number; line: number; column: number })[] = []
  for (let line = bottom; line >= 0; line--) {
    const text = screen[line] ?? ''
    const option = FOOTER.test(text) ? null : OPTION.exec(text)
    const column = option?.[1]?.length
    if (option && column !== undefined && column === (found[0]?.column ?? column)) {
      const [, , cursor, number = '', box, label = ''] = option
      found.unshift({
        number: Number(number),
        digit: number.length === 1 ? number : undefined,
        label: label.replace(/\s{2,}[┌│└].*$/, '').trim(),
        isCursor: cursor === '❯',
        ...(box !== undefined && { isChecked: box !== ' ' }),
        line,
        column,
      })
      if (number === '1') break
    } else if (found.length === 0 ? !isBelow(text) : isOutside(text)) return undefined
  }
  const inOrder = found.every(({ number }, index) => number === index + 1)
  const [head] = found
  if (!head || found.length < 2 || !inOrder) return undefined
  return {
    list: found.map(({ number: _, line: __, column: ___, ...option }) => option),
    column: head.column,
    first: head.line,
    last: found.at(-1)?.line ?? 0,
  }
}

/** Below the last option: its own further words, a preview beside them, the hint about keys. */
function isBelow(line: string): boolean {
  return line.trim() === '' || FOOTER.test(line) || RULE.test(line) || /^ {4,}\S/.test(line) || SUBMIT.test(line)
}

/** Between two options there are only further words of the upper one. */
function isOutside(line: string): boolean {
  return line.trim() !== '' && !/^ {4,}\S/.test(line)
}

const SUBMIT = /^\s*(❯)?\s+Submit\s*$/

/** Where such lines stand above the options. */
function rowsAbove(screen: readonly string[], first: number, line: RegExp): number[] {
  return screen.slice(0, first).flatMap((text, row) => (line.test(text) ? [row] : []))
}

function lastLine(lines: readonly string[]): string {
  return lines.findLast((line) => line.trim() !== '')?.trim() ?? ''
}

function words(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}

const PLAN_FILE = /^\s*ctrl\+g to edit in .* · .*[/\\]plans[/\\]([\w-]+\.md)\s*$/

/** The plan itself stands above the last rule, and is read from its file. */
function planDialog(screen: readonly string[], bottom: number, options: Options): PlanDialog | undefined {
  const top = rowsAbove(screen, options.first, PLAN_RULE).at(-1)
  if (top === undefined || !/Would you like to proceed\?$/.test(words(screen.slice(top + 1, options.first))))
    return undefined
  const below = screen.slice(options.last, bottom + 1)
  if (!below.some((line) => /ctrl\+g to edit/.test(line))) return undefined
  const [fileName] = below.flatMap((line) => PLAN_FILE.exec(line)?.[1] ?? [])
  const lines = screen.slice(top, bottom + 1)
  return { kind: 'plan', ...(fileName !== undefined && { fileName }), options: options.list, lines }
}

/** All of its lines count: its rules are of one width, between them everything is set in, and one line of it asks. */
function permissionDialog(screen: readonly string[], bottom: number, options: Options): PermissionDialog | undefined {
  const { first, list } = options
  const [top = -1, another] = rowsAbove(screen, first, RULE)
  const isCut = top < 0
  const thin = rowsAbove(screen, first, THIN_RULE)
  const [upper, lower] = isCut ? [-1, ...thin] : thin
  if (another !== undefined || upper === undefined || lower === undefined || lower <= upper) return undefined
  if (upper < top || thin.length !== (isCut ? 1 : 2)) return undefined
  const rules = new Set([...(isCut ? [] : [top]), ...thin])
  if (new Set([...rules].map((row) => screen[row]?.length)).size !== 1) return undefined
  const isSetIn = screen.slice(0, first).every((line, row) => row < top || rules.has(row) || /^(?: |$)/.test(line))
  const asking = screen.slice(lower + 1, first).filter((line) => line.trim() !== '')
  const question = asking.at(-1)?.trim() ?? ''
  const isAsked = question.endsWith('?') && asking.findIndex((line) => ASKS.test(line)) === asking.length - 1
  if (!isSetIn || !isAsked || !list.some(isPlainYes) || !list.some(isNo)) return undefined
  return {
    kind: 'permission',
    ...(!isCut && { heading: screen.slice(top + 1, upper).map((line) => line.trim()) }),
    body: screen.slice(upper + 1, lower),
    question,
    canAmend: AMENDS.test(screen[bottom] ?? ''),
    options: list,
    lines: screen.slice(Math.max(top, 0), bottom + 1),
  }
}

function questionOrReview(
  screen: readonly string[],
  bottom: number,
  { first, last, list }: Options,
): QuestionDialog | ReviewDialog | undefined {
  const [top, another] = rowsAbove(screen, first, RULE)
  if (top === undefined || another !== undefined || !TABS.test(screen[top + 1] ?? '')) return undefined
  const shared = { options: list, lines: screen.slice(top, bottom + 1) }
  const above = screen.slice(top + 2, first)
  if (lastLine(above) === 'Ready to submit your answers?')
    return { kind: 'review', answers: reviewed(above), ...shared }
  const submit = screen.slice(last).find((line) => SUBMIT.test(line))
  return {
    kind: 'question',
    question: words(above),
    isMulti: list.some((option) => option.isChecked !== undefined),
    ...(submit !== undefined && { submit: { isCursor: submit.includes('❯') } }),
    ...shared,
  }
}

/** The answers, each with the rows in which it goes on. The last line asks whether to submit them. */
function reviewed(above: readonly string[]): string[] {
  const answers: string[][] = []
  let rows: string[] = []
  const last = above.findLastIndex((line) => line.trim() !== '')
  for (const line of above.slice(0, last)) {
    const [, begun] = /^\s*→ (.*)$/.exec(line) ?? []
    if (begun !== undefined || /^ ● /.test(line)) rows = []
    if (begun !== undefined) answers.push(rows)
    rows.push(begun ?? line)
  }
  return answers.map(words)
}

/** The one yes to a plan that changes no mode. */
export const PLAN_YES = /^Yes, manually approve edits/

/** Yes to this call alone: all others change what is asked later on. */
export function isPlainYes({ label }: DialogOption): boolean {
  return label === 'Yes'
}

export function isNo({ label }: DialogOption): boolean {
  return label === 'No' || label.startsWith('No, ')
}
