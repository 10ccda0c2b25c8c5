import { until } from '@holdpoint/testing/until'
import { Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs'
import { expect, it } from 'vitest'
import { contrast, GROUND, INK } from './colours.ts'
import { ESCAPE_SEQUENCES } from './escape-sequences.ts'
import { createScreen, type Screen } from './screen.ts'

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** A screen that draws at once. */
function testScreen({ columns = 40, rows = 6 } = {}): Screen {
  const screen = createScreen((draw) => draw())
  screen.restore({ data: '', columns, rows })
  return screen
}

let marks = 0
/** Writes, and resolves when all of it was parsed. */
function written(screen: Screen, data: string): Promise<void> {
  // One change for each piece that is parsed.
  let left = Math.ceil(data.length / 4096)
  return new Promise((resolve) => {
    const stop = screen.subscribe(() => {
      left -= 1
      if (left > 0) return
      stop()
      resolve()
    })
    screen.write(data)
  })
}

/** Out of whatever is under way, and back to the screen that people look at. */
async function startedOver(screen: Screen): Promise<void> {
  const mark = `mark-${++marks}`
  await written(screen, `\x18\x1b\\\x1bc${mark}`)
  expect(text(screen).trim()).toBe(mark)
}

function text(screen: Screen): string {
  const { lines } = screen.getState()
  return Array.from({ length: lines }, (_, index) => lineText(screen, index)).join('\n')
}

function lineText(screen: Screen, index: number): string {
  return screen
    .line(index)
    .runs.map((run) => run.text)
    .join('')
}

async function drawn(data: string): Promise<Screen> {
  const screen = testScreen()
  await written(screen, data)
  return screen
}

it('draws text, colours and attributes in runs', async () => {
  const screen = await drawn('plain \x1b[1;31mred\x1b[0m\x1b[4m under\x1b[0m')
  expect(screen.line(0).runs).toEqual([
    { text: 'plain ', cells: 6 },
    { text: 'red', cells: 3, ink: 0xff93a8, bold: true },
    { text: ' under', cells: 6, underline: true },
  ])
  expect(screen.getState().cursor).toEqual({ column: 15, line: 0, isShown: true })
})

it('gives every character that may be wider or narrower a box of its own', async () => {
  const screen = await drawn('a你b─é✔')
  expect(screen.line(0).runs.map(({ text: shown, cells }) => [shown, cells])).toEqual([
    ['a', 1],
    ['你', 2],
    ['b─é', 3],
    ['✔', 1],
  ])
})

it('[T24] lets nothing into the page that reorders or cannot be seen, and marks where it was', async () => {
  const screen = await drawn('a\u202Eb\u200B c\uE000\u00A0\u2800e\u0301')
  const { runs } = screen.line(0)
  expect(runs.filter((run) => run.hides).map((run) => run.text)).toEqual(['a', 'b', '\uFFFD'])
  expect(runs.at(-1)).toEqual({ text: 'e\u0301', cells: 1 })
})

it('shows what is concealed, and nothing in the colour of its ground', async () => {
  const screen = await drawn('\x1b[8mhidden\x1b[0m\x1b[30;40mblack\x1b[0m\x1b[38;2;13;15;19mground\x1b[0m\x1b[2;37mdim')
  expect(lineText(screen, 0)).toBe('hiddenblackgrounddim')
  for (const { ink = INK, ground = GROUND } of screen.line(0).runs) {
    expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5)
  }
})

it('knows when the program hides its cursor, and when a reset shows it again', async () => {
  expect((await drawn('\x1b[?25l')).getState().cursor.isShown).toBe(false)
  expect((await drawn('\x1b[?25l\x1bc')).getState().cursor.isShown).toBe(true)
  expect((await drawn('\x1b[?25l\x1b[!p')).getState().cursor.isShown).toBe(true)
  expect((await drawn('\x1b[?1;2004;25l')).getState().cursor.isShown).toBe(false)
})

it('tells how keys are wanted', async () => {
  const { modes } = (await drawn('\x1b[?1h\x1b[?2004h')).getState()
  expect(modes).toEqual({ applicationCursorKeys: true, bracketedPaste: true })
})

it('starts over with a new picture, whatever still waited for the one before', async () => {
  const screen = testScreen()
  screen.write('old '.repeat(5000))
  screen.restore({ data: 'new', columns: 20, rows: 4 })
  await until(async () => text(screen).includes('new'), 'the new picture')
  expect(text(screen)).not.toContain('old')
  expect(screen.getState()).toMatchObject({ columns: 20, rows: 4 })
  await written(screen, ' and newer')
  expect(text(screen)).toContain('new and newer')
  expect(text(screen)).not.toContain('old')
})

it('[I10] says no to more than it can show, and yes again with a new picture', () => {
  const screen = testScreen()
  const flood = 'y\r\n'.repeat(500_000)
  let taken = 0
  while (taken < 100 && screen.write(flood)) taken++
  expect(taken).toBeGreaterThan(0)
  expect(taken).toBeLessThan(10)
  screen.restore({ data: '', columns: 20, rows: 4 })
  expect(screen.write('x')).toBe(true)
  screen.close()
})

it('keeps a bounded number of lines', async () => {
  const screen = testScreen()
  await written(screen, 'line\r\n'.repeat(5000))
  expect(screen.getState().lines).toBe(1006)
})

it(`[T28] does nothing but draw, for each of ${ESCAPE_SEQUENCES.length} sequences`, async () => {
  expect(ESCAPE_SEQUENCES.length).toBeGreaterThanOrEqual(200)
  const screen = testScreen()
  for (const { name, data } of ESCAPE_SEQUENCES) {
    await written(screen, data)
    const { columns, rows, cursor, lines } = screen.getState()
    expect([columns, rows], name).toEqual([40, 6])
    expect(cursor.line, name).toBeLessThan(lines)
    expect(cursor.column, name).toBeLessThan(columns)
    for (let index = 0; index < lines; index++) {
      const { runs } = screen.line(index)
      expect(
        runs.reduce((sum, run) => sum + run.cells, 0),
        name,
      ).toBeLessThanOrEqual(columns)
      expect(UNSEEN.exec(lineText(screen, index))?.[0], name).toBeUndefined()
      // A box of one cell holds one letter and a few marks.
      expect(Math.max(0, ...runs.map((run) => [...run.text].length - run.cells)), name).toBeLessThanOrEqual(4)
    }
    await startedOver(screen)
  }
})

it('has replies to give to many of them, were anybody listening', async () => {
  const terminal = new Terminal({ allowProposedApi: true })
  const replies: string[] = []
  terminal.onData((data) => replies.push(data))
  await new Promise<void>((resolve) => terminal.write('\x1b[c\x1b[6n\x1bP$qm\x1b\\', resolve))
  expect(replies.length).toBe(3)
})
