import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steps, subagents } from '@holdpoint/demo-model/scenarios'
import { type ModelCall, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RealGateway, type RealSession, startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000 })

const bash = (command: string) => use('Bash', { command })
/** `cd` runs unasked in a default session, and what follows acts in the other folder. */
const calls = [bash('cd sub'), bash('sh build.sh'), bash('cd ..'), bash('touch top.txt')]

const inFolder = (name: string, file: string, input: Record<string, unknown>) => (call: ModelCall) => ({
  content: [use(name, { file_path: join(call.cwd ?? '', file), ...input })],
})

const scripts = {
  moves: steps(calls),
  swapped: steps([bash('cd sub'), bash('touch made'), bash('touch more'), bash('touch made')]),
  writes: steps([inFolder('Write', 'out/pre-commit', { content: 'touch by-hook\n' })]),
  edits: steps([
    inFolder('Read', 'out/there', {}),
    inFolder('Edit', 'out/there', { old_string: 'a', new_string: 'b' }),
  ]),
  helper: subagents([
    { prompt: 'scenario:helper inside', steps: [bash('cd sub && sh build.sh'), bash('touch in.txt')] },
  ]),
}

async function twoScripts(cwd: string) {
  await mkdir(join(cwd, 'sub'))
  await writeFile(join(cwd, 'build.sh'), 'touch built.txt\n')
  await writeFile(join(cwd, 'sub', 'build.sh'), 'touch built.txt\n')
}

const isFor = (command: string) => (ask: Ask) => ask.tool?.input.command === command

/** Allows what comes until there is an ask for this command. */
async function allowedUpTo(session: RealSession, command: string): Promise<Ask> {
  for (;;) {
    const ask = await session.ask()
    if (isFor(command)(ask)) return ask
    await session.answer(ask, { kind: 'allow' })
  }
}

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({ scripts })
})
afterAll(() => real[Symbol.asyncDispose]())

it.concurrent('[T62] a subagent’s asks have the folder of the subagent', async () => {
  const session = await real.session('helper', { prepare: twoScripts })
  const build = await session.ask(isFor('cd sub && sh build.sh'))
  expect(build).toMatchObject({ subagent: expect.any(String), context: { cwd: session.cwd } })
  await session.answer(build, { kind: 'allow' })
  // What a subagent's shell moves to does not last.
  const touch = await session.ask(isFor('touch in.txt'))
  expect(touch.context.cwd).toBe(session.cwd)
  await session.answer(touch, { kind: 'allow' })
  await session.idle()
  expect(await session.file('in.txt')).toBe('')
})

it.concurrent('[T61, T62] another folder takes the place of the one that was shown: no answer and no rule holds for it', async () => {
  const session = await real.session('swapped', { gate: 'everything', prepare: twoScripts })
  const made = await allowedUpTo(session, 'touch made')
  await session.answer(made, { kind: 'allow', remember: { scope: 'session' } })
  const more = await allowedUpTo(session, 'touch more')
  await rename(join(session.cwd, 'sub'), join(session.cwd, 'old'))
  await mkdir(join(session.cwd, 'other'))
  await symlink('other', join(session.cwd, 'sub'))
  expect((await real.api.answer(more, { kind: 'allow' })).status).toBe(409)
  const again = await session.ask(({ id }) => id !== more.id)
  expect(again.context.cwd).toBe(join(session.cwd, 'other'))
  await session.answer(again, { kind: 'allow' })
  const unknown = await session.ask(({ id }) => id !== again.id)
  expect([unknown.tool?.input.command, unknown.context.cwd]).toEqual(['touch made', join(session.cwd, 'other')])
  await session.answer(unknown, { kind: 'deny' })
  await session.idle()
})

describe.concurrent('[T61, T62] a link takes the place of a folder on the way to a file', () => {
  const inSession = (session: RealSession) => ({
    placesOf: (ask: Ask) => ask.files?.map(({ path }) => path.slice(session.cwd.length + 1)),
    async swapTo(target: string) {
      await rm(join(session.cwd, 'out'), { recursive: true })
      await symlink(target, join(session.cwd, 'out'))
    },
  })
  const twoFiles = async (cwd: string) => {
    for (const folder of ['out', '.git/hooks', 'one', 'two']) await mkdir(join(cwd, folder), { recursive: true })
    for (const folder of ['out', 'one', 'two']) await writeFile(join(cwd, folder, 'there'), 'a\n')
  }

  it('what was remembered of a Write does not follow it, nor does an answer', async () => {
    const session = await real.session('writes', { gate: 'everything', prepare: twoFiles })
    const { placesOf, swapTo } = inSession(session)
    const first = await session.ask()
    expect(placesOf(first)).toEqual(['out/pre-commit'])
    await session.answer(first, { kind: 'allow', remember: { scope: 'session' } })
    await session.idle()
    // In the same place it is not asked again.
    await rm(join(session.cwd, 'out/pre-commit'))
    await session.send('Again.')
    await vi.waitFor(async () => expect(await session.file('out/pre-commit')).toBe('touch by-hook\n'), 20_000)
    await session.idle()
    await swapTo('.git/hooks')
    await session.send('And again.')
    const inHooks = await session.ask()
    expect(placesOf(inHooks)).toEqual(['.git/hooks/pre-commit'])
    await swapTo('one')
    expect((await real.api.answer(inHooks, { kind: 'allow' })).status).toBe(409)
    const inOne = await session.ask(({ id }) => id !== inHooks.id)
    expect(placesOf(inOne)).toEqual(['one/pre-commit'])
    await session.answer(inOne, { kind: 'deny' })
    await session.idle()
    expect([await session.file('.git/hooks/pre-commit'), await session.file('one/pre-commit')]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('the answer to an Edit does not hold for the same text elsewhere', async () => {
    const session = await real.session('edits', { prepare: twoFiles })
    const { placesOf, swapTo } = inSession(session)
    let shown = await session.ask()
    for (const folder of ['one', 'two']) {
      await swapTo(folder)
      expect((await real.api.answer(shown, { kind: 'allow' })).status).toBe(409)
      const { id } = shown
      shown = await session.ask((ask) => ask.id !== id)
      expect(placesOf(shown)).toEqual([`${folder}/there`])
    }
    await session.answer(shown, { kind: 'deny' })
    await session.idle()
  })
})

it('[T62] an ask has the folder that its call acts in, before and after kill -9, in both gates', async () => {
  const sessions = await Promise.all(
    ['default', 'everything'].map((gate) => real.session('moves', { gate, prepare: twoScripts })),
  )
  const builds = await Promise.all(sessions.map((session) => allowedUpTo(session, 'sh build.sh')))
  await real.gateway.kill9()
  await real.restart()
  for (const [index, session] of sessions.entries()) {
    const build = builds[index]
    if (!build) throw new Error('no ask')
    expect(build.context.cwd).toBe(join(session.cwd, 'sub'))
    expect(await session.asks()).toEqual([build])
    await session.answer(build, { kind: 'allow' })
    const top = await allowedUpTo(session, 'touch top.txt')
    expect(top.context.cwd).toBe(session.cwd)
    expect([await session.file('sub/built.txt'), await session.file('built.txt')]).toEqual(['', undefined])
    await session.answer(top, { kind: 'allow' })
    await session.idle()
    expect((await session.read()).frozen).toBeUndefined()
  }
})

it('[T62, F1] a gateway dies before the ask is on record: the next one knows the folder', async () => {
  for (const [gate, before] of [
    ['default', 1],
    ['everything', 2],
  ] as const) {
    await real.gateway.stop()
    await real.restart({ FAIL_AT: `before-ask:${before}` })
    const session = await real.session('moves', { gate, prepare: twoScripts })
    if (gate === 'everything') await real.api.answer(await session.ask(), { kind: 'allow' }).catch(() => 'cut off')
    await real.gateway.exited
    await real.restart()
    const build = await session.ask()
    expect([build.tool?.input.command, build.context.cwd]).toEqual(['sh build.sh', join(session.cwd, 'sub')])
    await session.answer(build, { kind: 'allow' })
    await allowedUpTo(session, 'touch top.txt')
    expect(await session.file('sub/built.txt')).toBe('')
    // Its open ask would be counted in the next round.
    await real.api.ok('DELETE', `/api/sessions/${session.id}`)
  }
})
