import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { planSteps, type Step, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { type AttachedWorld, startAttachedWorld } from './attached-world.ts'
import type { ScreenTerminal } from './claude-tui.ts'

const SHIFT_TAB = '\x1b[Z'
const write =
  (name: string): Step =>
  (call) => ({ content: [use('Write', { file_path: join(call.cwd ?? '', name), content: 'x' })] })
const plan = steps([...planSteps('# The plan\n'), write('edited.txt'), use('Bash', { command: 'touch made.txt' })])
const guarded = steps([use('Bash', { command: 'touch asked.txt' }), write('.git/hooks/pre-commit')])

/** One gateway and one terminal, in which one thing after another is asked. */
let world: AttachedWorld
let terminal: ScreenTerminal

beforeAll(async () => {
  world = await startAttachedWorld((call) => (call.lastUserText.includes('guarded') ? guarded : plan)(call))
  const settings = join(world.home, '.claude', 'settings.json')
  const hooks = JSON.parse(await readFile(settings, 'utf8')) as object
  await writeFile(settings, JSON.stringify({ ...hooks, permissions: { ask: ['Bash(touch asked.txt)'] } }))
  terminal = await world.terminal({ args: ['--permission-mode', 'acceptEdits'] })
})
afterAll(() => world[Symbol.asyncDispose]())

describe('a plan of a terminal that is attached', { timeout: 60_000 }, () => {
  it('T38 goes on in the mode that was chosen with it here, never in the more generous one from before', async () => {
    await world.prompt(terminal, 'from the mode of its start')
    await approved({ permissionMode: 'default' })
    // From the keyboard the way to plan mode leads through the mode that accepts edits.
    for (const shown of ['accept edits on', 'plan mode on']) {
      terminal.type(SHIFT_TAB)
      await terminal.waitFor(shown)
    }
    await world.prompt(terminal, 'by the keyboard')
    await approved({})
  })
})

describe('an answer that Claude Code does not take from a hook', { timeout: 60_000 }, () => {
  it('I7 is said to be wanted at its terminal; T61 what it guards is not remembered, and asked alone', async () => {
    await world.prompt(terminal, 'something guarded')
    // The person's own settings want to be asked about it each time.
    const open = await world.ask(({ context }) => context.command === 'touch asked.txt')
    expect([open.flags.noRemember, open.remember]).toEqual([true, undefined])
    expect((await world.answer(open, { kind: 'allow' })).status).toBe(200)
    const notices = async () =>
      (await world.items(open.sessionId)).flatMap((item) => (item.type === 'notice' ? [item.text] : []))
    const said = (words: string) => until(async () => (await notices()).some((text) => text.includes(words)), words)
    await said('did not accept the answer to “Bash: touch asked.txt”')
    expect(await world.exists('asked.txt')).toBe(false)
    await world.session(({ mayWait }) => mayWait === true)
    expect(await world.undelivered(open.sessionId)).toContain(open.id)

    await world.press(terminal, 'Do you want to proceed?', '1')
    const next = await world.ask(({ title }) => title.includes('pre-commit'))
    await said('was allowed at its terminal: the answer given in Holdpoint was not used')
    expect(await world.exists('asked.txt')).toBe(true)
    expect(next).toMatchObject({ flags: { defaultToNo: true, noRemember: true } })
    await world.answer(next, { kind: 'deny', message: 'no' })
    await world.session(({ state }) => state === 'user_turn')
    expect(await world.exists('.git/hooks/pre-commit')).toBe(false)
    expect(await notices()).toHaveLength(2)
  })
})

/** Allows the plan, and sees that what follows asks. */
async function approved(more: { permissionMode?: string }) {
  const open = await world.ask(({ kind }) => kind === 'plan')
  expect((await world.answer(open, { kind: 'allow', ...more })).status).toBe(200)
  for (const title of [/^Write: .*edited\.txt/, /^Bash: touch made\.txt/]) {
    await world.answer(await world.ask((ask) => title.test(ask.title)), { kind: 'deny', message: 'no' })
  }
  const session = await world.session(({ state }) => state === 'user_turn')
  expect(session.permissionMode).toBe('default')
  expect([await world.exists('edited.txt'), await world.exists('made.txt')]).toEqual([false, false])
  expect((await world.items(session.id)).filter(({ type }) => type === 'notice')).toEqual([])
}
