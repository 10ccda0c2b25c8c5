/** One line of the table. */
export interface Row {
  readonly what: string
  readonly measured: string
  /** What it is compared with, measured in the same run. */
  readonly against?: string
  readonly ratio?: number
  readonly budget?: string
  readonly met?: boolean
}

const HEAD = ['what', 'measured', 'against', 'ratio', 'budget', '']

export function tableHead(): string {
  return `${line(HEAD)}\n${line(HEAD.map(() => '---'))}`
}

export function tableLine(row: Row): string {
  return line([
    row.what,
    row.measured,
    row.against ?? '',
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    row.budget ?? '',
    row.met === undefined ? '' : row.met ? 'pass' : '**miss**',
  ])
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
