import { existsSync } from 'node:fs'
import { mkdir, readdir, readlink, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steps } from '@holdpoint/demo-model/scenarios'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LONG } from '../long.ts'
import { seededRandom } from '../seeded-random.ts'
import { until } from '../until.ts'
import { type RealGateway, type RealSession, startRealGateway } from './real-gateway.ts'

/** Sessions are parked this soon here. */
const PARK_MS = '600'

const scripts = {
  again: steps([use('Bash', { command: 'touch again.txt' })]),
  behind: steps([use('Bash', { command: 'sleep 2; touch done.txt', run_in_background: true })]),
  chat: (call: Parameters<Script>[0]) => say(`Answer ${call.turns.length}`),
} satisfies Record<string, Script>

/** Claude Code processes that work in this folder. */
async function processes(cwd: string): Promise<number> {
  let count = 0
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
    if (folder === cwd && program.endsWith('/claude')) count++
  }
  return count
}

const parked = (session: RealSession) =>
  until(async () => {
    const now = await session.read()
    if (now.state === 'dead') throw new Error(`it ended: ${JSON.stringify(now)}`)
    return now.parkedAt !== undefined && now
  }, 'the agent to be parked')
const gone = (session: RealSession) => until(async () => (await processes(session.cwd)) === 0, 'its process to be gone')

async function isWoken(session: RealSession, epoch: number): Promise<Session> {
  await until(async () => (await session.read()).epoch === epoch, 'the agent to be started again')
  await session.idle()
  return session.read()
}

const notices = async (session: RealSession) =>
  (await session.items()).flatMap((item) => (item.type === 'notice' ? [item.text] : []))

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({ scripts, env: { PARK_MS } })
})
afterAll(() => real[Symbol.asyncDispose]())

describe('a parked session with the real agent', () => {
  it.concurrent('[T61, F65] is woken by a message: same conversation, rules, model and mode, and one process', async () => {
    const session = await real.session('again')
    await session.answer(await session.ask(), { kind: 'allow', remember: { scope: 'session' } })
    await session.idle()
    const model = 'claude-sonnet-4-5'
    await real.api.ok('POST', `/api/sessions/${session.id}/model`, { model })
    expect(await parked(session)).toMatchObject({ state: 'user_turn', epoch: 1 })
    await gone(session)
    // Set while there is no process: it begins with it.
    await real.api.ok('POST', `/api/sessions/${session.id}/mode`, { permissionMode: 'plan' })
    await real.api.ok('POST', `/api/sessions/${session.id}/mode`, { permissionMode: 'default' })
    await session.send('once more')
    const now = await isWoken(session, 2)
    expect(await session.asks()).toEqual([])
    expect(now).toMatchObject({ model, permissionMode: 'default', lifeEpoch: 1 })
    const told = session.told()
    expect(told).toContain('scenario:again')
    expect(told.match(/touch again\.txt/g)?.length).toBeGreaterThan(1)
    expect(await notices(session)).toEqual([])
    expect(await processes(session.cwd)).toBe(1)
  })

  it.concurrent('F65 is not parked while a command runs in the background', async () => {
    const session = await real.session('behind')
    await session.answer(await session.ask(), { kind: 'allow' })
    await session.idle()
    await parked(session)
    expect(existsSync(join(session.cwd, 'done.txt'))).toBe(true)
  })

  it.concurrent('[T34] is woken without the settings of its folder when they have changed, and says so', async () => {
    const settings = async (cwd: string, command: string) => {
      await mkdir(join(cwd, '.claude'), { recursive: true })
      const hooks = { SessionStart: [{ hooks: [{ type: 'command', command }] }] }
      await writeFile(join(cwd, '.claude/settings.json'), JSON.stringify({ hooks }))
    }
    const session = await real.session('chat', {
      trust: true,
      prepare: (cwd: string) => settings(cwd, 'touch known.txt'),
    })
    await session.idle()
    expect(existsSync(join(session.cwd, 'known.txt'))).toBe(true)
    await parked(session)
    await settings(session.cwd, 'touch unknown.txt')
    await session.send('go on')
    expect(await isWoken(session, 2)).toMatchObject({ trusted: false })
    expect(existsSync(join(session.cwd, 'unknown.txt'))).toBe(false)
    expect((await notices(session)).join()).toContain('no longer trusted')
    expect(session.told()).toContain('Answer 1')
  })

  it.concurrent('keeps its message when its folder is gone, says so, and goes on when that is back', async () => {
    const session = await real.session('chat')
    await session.idle()
    await parked(session)
    await gone(session)
    await rename(session.cwd, `${session.cwd}-away`)
    await session.send('is anybody there?')
    const ended = await session.ended()
    expect(ended).toMatchObject({ queuedMessages: 1, error: { code: 'folder-gone' } })
    await rename(`${session.cwd}-away`, session.cwd)
    await real.api.ok('POST', '/api/sessions', { resume: session.id })
    await until(() => session.told().includes('is anybody there?'), 'the message to arrive')
    await session.idle()
  })
})

const ROUNDS = LONG ? 40 : 2
it(
  `[F1, I5, F65] ${ROUNDS} gateways killed as they park, and before a parked agent is woken: one process, nothing lost`,
  async () => {
    await using mine = await startRealGateway({ scripts, env: { PARK_MS } })
    const session = await mine.session('chat')
    await session.idle()
    for (let round = 0; round < ROUNDS; round++) {
      await parked(session)
      // With the process on its way out, or gone.
      if (round % 2 === 1) await gone(session)
      await mine.gateway.kill9()
      await mine.restart()
      expect(await session.read()).toMatchObject({ state: 'user_turn', parkedAt: expect.any(Number) })
      await gone(session)
      await session.send(`message ${round}`)
      await isWoken(session, round + 2)
      expect(await processes(session.cwd)).toBe(1)
      expect(session.told()).toContain(`message ${round}`)
    }
    const said = (await session.items()).flatMap((item) =>
      item.type === 'message' ? [`${item.role}: ${item.text}`] : [],
    )
    const rounds = Array.from({ length: ROUNDS }, (_, n) => [`user: message ${n}`, `assistant: Answer ${n + 2}`]).flat()
    expect(said.slice(2)).toEqual(rounds)
  },
  LONG ? 1_200_000 : 60_000,
)

it.runIf(LONG)(
  '[F1] 100 sessions parked and woken at random, with gateways killed in between: nothing is lost',
  async () => {
    const random = seededRandom(Number(process.env.HOLDPOINT_SEED ?? 7))
    await using mine = await startRealGateway({ scripts, env: { PARK_MS: '400' } })
    const sessions: { session: RealSession; sent: number }[] = []
    const idle = ({ session, sent }: (typeof sessions)[number]) =>
      until(async () => {
        const { state, queuedMessages } = await session.read()
        return state === 'user_turn' && queuedMessages === 0 && session.told().includes(`message ${sent}.`)
      }, 'it to be idle')
    for (let n = 0; n < 100; n++) {
      const session = await mine.session('chat')
      await session.idle()
      sessions.push({ session, sent: 0 })
    }
    for (let step = 0; step < 300; step++) {
      const one = sessions[Math.floor(random() * sessions.length)]
      if (!one) continue
      one.sent++
      await one.session.send(`message ${one.sent}.`)
      if (random() < 0.7) await idle(one)
      if (random() < 0.05) {
        await mine.gateway.kill9()
        await mine.restart()
      }
    }
    for (const one of sessions) {
      if (one.sent > 0) await idle(one)
      await parked(one.session)
      await gone(one.session)
      const items = await one.session.items()
      const said = items.flatMap((item) => (item.type === 'message' && item.role === 'user' ? [item.text] : []))
      expect(said.slice(1)).toEqual(Array.from({ length: one.sent }, (_, n) => `message ${n + 1}.`))
      const answers = items.flatMap((item) => (item.type === 'message' && item.role === 'assistant' ? [item.text] : []))
      expect(answers).toEqual(Array.from({ length: one.sent + 1 }, (_, n) => `Answer ${n + 1}`))
    }
  },
  3_600_000,
)
