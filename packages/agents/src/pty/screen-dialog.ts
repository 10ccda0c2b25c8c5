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

const RULE = /^\s*─{10,}\s*$/
const THIN_RULE = /^\s*╌{10,}\s*$/
const OPTION = /^\s*(❯)?\s*(\d{1,2})\. (?:\[(.)\] )?(.*)$/
/** What may stand below the options. Anything else, the prompt above all, and the dialog is not in front. */
const FOOTER = /^\s*(Esc to |Enter to |ctrl\+g to |❯? *(\d\. )?Chat about this)/
const AMENDS = /· Tab to amend(?: ·|\s*$)/
const TABS = /^\s*(←\s+)?[☐☒✔]\s/

/**
 * Reads the dialog that Claude Code shows, from the screen alone. Measured on the version in `docs/claude-code.md`; what
 * it does not know for sure is no dialog (I4). Text of the agent can look like one, but it stands above the prompt, and
 * a dialog has nothing below it.
 */
export function readDialog(screen: readonly string[]): ScreenDialog | undefined {
  const bottom = screen.findLastIndex((line) => line.trim() !== '')
  const options = readOptions(screen, bottom)
  if (!options) return undefined
  const { first, last } = options
  const top = blockStart(screen, first)
  const lines = screen.slice(Math.max(top, 0), bottom + 1)
  const shared = { options: options.list, lines }
  const above = screen.slice(top + 1, first)
  const question = words(
    above.slice(above.findLastIndex((line, index) => isBefore(above, index) && line.trim() === '') + 1),
  )
  if (/^Ready to submit your answers\?$/.test(lastLine(above))) {
    return { kind: 'review', answers: reviewed(above), ...shared }
  }
  if (
    /Would you like to proceed\?$/.test(question) &&
    screen.slice(last).some((line) => /ctrl\+g to edit/.test(line))
  ) {
    return planDialog(shared)
  }
  if (top >= 0 && TABS.test(screen[top + 1] ?? '')) return questionDialog(screen, { top, ...options }, shared)
  return permissionDialog(above, { isCut: top < 0, canAmend: AMENDS.test(screen[bottom] ?? '') }, shared)
}

/** All that stands above the options: which dialog it is, wherever its cursor is. Of several it has the number. */
export function askedIn({ lines }: ScreenDialog): string {
  const first = lines.findLastIndex((line) => /^\s*❯?\s*1\. /.test(line))
  return lines.slice(0, first).join('\n')
}

interface Options {
  readonly list: readonly DialogOption[]
  readonly first: number
  /** The line of the last option. */
  readonly last: number
}

/** From the bottom up: numbered lines with words that go on below them, one of them under the cursor. */
function readOptions(screen: readonly string[], bottom: number): Options | undefined {
  const found: (DialogOption & { number: number; line: number })[] = []
  for (let line = bottom; line >= 0; line--) {
    const text = screen[line] ?? ''
    const option = OPTION.exec(text)
    if (option && !FOOTER.test(text)) {
      const [, cursor, number = '', box, label = ''] = option
      found.unshift({
        number: Number(number),
        digit: number.length === 1 ? number : undefined,
        label: label.replace(/\s{2,}[┌│└].*$/, '').trim(),
        isCursor: cursor !== undefined,
        ...(box !== undefined && { isChecked: box !== ' ' }),
        line,
      })
      if (number === '1') break
    } else if (found.length === 0 ? !isBelow(text) : isOutside(text)) return undefined
  }
  const inOrder = found.every(({ number }, index) => number === index + 1)
  if (found.length < 2 || !inOrder) return undefined
  const [head] = found
  return {
    list: found.map(({ number: _, line: __, ...option }) => option),
    first: head?.line ?? 0,
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

/** The line of the rule that the dialog hangs from; -1 where it is cut off at the top of the screen. */
function blockStart(screen: readonly string[], first: number): number {
  for (let line = first - 1; line >= 0; line--) if (RULE.test(screen[line] ?? '')) return line
  return -1
}

function isBefore(lines: readonly string[], index: number): boolean {
  return lines.slice(index + 1).some((line) => line.trim() !== '')
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

function planDialog(shared: DialogBase): PlanDialog {
  const [fileName] = shared.lines.flatMap((line) => PLAN_FILE.exec(line)?.[1] ?? [])
  return { kind: 'plan', ...(fileName !== undefined && { fileName }), ...shared }
}

function permissionDialog(
  above: readonly string[],
  { isCut, canAmend }: { isCut: boolean; canAmend: boolean },
  shared: DialogBase,
): PermissionDialog | undefined {
  const rules = above.flatMap((line, index) => (THIN_RULE.test(line) ? [index] : []))
  const [upper, lower] = isCut ? [-1, rules.at(-1)] : [rules[0], rules.at(-1)]
  if (upper === undefined || lower === undefined || lower <= upper) return undefined
  const question = lastLine(above.slice(lower + 1))
  const hasYesAndNo = shared.options.some(isPlainYes) && shared.options.some(isNo)
  if (!question.endsWith('?') || !hasYesAndNo) return undefined
  return {
    kind: 'permission',
    ...(!isCut && { heading: above.slice(0, upper).map((line) => line.trim()) }),
    body: above.slice(upper + 1, lower),
    question,
    canAmend,
    ...shared,
  }
}

function questionDialog(
  screen: readonly string[],
  { top, first, last, list }: Options & { top: number },
  shared: DialogBase,
): QuestionDialog {
  const submit = screen.slice(last).find((line) => SUBMIT.test(line))
  return {
    kind: 'question',
    question: words(screen.slice(top + 2, first)),
    isMulti: list.some((option) => option.isChecked !== undefined),
    ...(submit !== undefined && { submit: { isCursor: submit.includes('❯') } }),
    ...shared,
  }
}

function reviewed(above: readonly string[]): string[] {
  return above.flatMap((line) => /^\s*→ (.*)$/.exec(line)?.[1] ?? [])
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
