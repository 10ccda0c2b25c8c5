import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltGateway, startBuiltGateway } from '../built-gateway.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { until } from '../until.ts'

const MINUTE = 60_000
const SLACK_MS = 5_000

/** Seven minutes fast. It is set to seven minutes slow by a signal, and back by the next one. */
const CLOCK = `let ahead = ${7 * MINUTE}
const Right = Date
globalThis.Date = class Date extends Right {
  constructor(...given) { super(...(given.length ? given : [Date.now()])) }
  static now() { return Right.now() + ahead }
}
process.on('SIGUSR2', () => { ahead = -ahead })
`

/** Two of the program in dist/ on one database; the clock of one machine is wrong. */
let server: PostgresServer
let right: BuiltGateway
let wrong: BuiltGateway
let home: string
beforeAll(async () => {
  server = await startPostgres()
  home = mkdtempSync(join(tmpdir(), 'hp-'))
  writeFileSync(join(home, 'clock.mjs'), CLOCK)
  const address = await server.createDatabase()
  const start = (name: string, env: Record<string, string>) =>
    startBuiltGateway({
      token: 'of-two-clocks-0123456789abcdef0123456789abcdef',
      args: ['--database', address, '--machine-name', name],
      env,
    })
  right = await start('right', {})
  wrong = await start('wrong', { NODE_OPTIONS: `--import=${join(home, 'clock.mjs')}` })
})
afterAll(async () => {
  await wrong[Symbol.asyncDispose]()
  await right[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** Both gateways, at each of which a test asks, while the other one takes the answer. */
const PLACES = ['right', 'wrong'] as const
const at = (place: (typeof PLACES)[number]) => (place === 'right' ? right : wrong)

const begin = (gateway: BuiltGateway, question: string, timeout: string) =>
  gateway.begin(['ask', question, '--option', 'yes', '--option', 'no', '--timeout', timeout, '--json'])
const open = (gateway: BuiltGateway, question: string): Promise<Ask> =>
  until(async () => (await gateway.api.openAsks()).find(({ title }) => title === question), `the ask "${question}"`)

async function expectBothReachable() {
  for (const gateway of [right, wrong]) {
    const { machines } = await gateway.api.ok<{ machines: { isReachable: boolean }[] }>('GET', '/api/machines')
    expect(machines.map(({ isReachable }) => isReachable)).toEqual([true, true])
  }
}

/** Asked at one and answered at the other: by the database's clock it still has time. */
async function askAndAnswer(asking: BuiltGateway, answering: BuiltGateway, question: string) {
  const asked = begin(asking, question, '2m')
  const ask = await open(answering, question)
  expect(Math.abs(ask.raisedAt - Date.now())).toBeLessThan(SLACK_MS)
  expect(ask.expiresAt).toBe(ask.raisedAt + 2 * MINUTE)
  const answered = await answering.command(['answer', ask.id, 'answer', '--choose', 'yes'])
  expect(answered).toMatchObject({ code: 0 })
  expect(await asked.exited).toMatchObject({ code: 0, stdout: expect.stringContaining('"yes"') })
}

it.each(PLACES)(
  'F28 a machine whose clock is wrong by minutes is reachable, and asks at the %s one have their time',
  async (place) => {
    await until(async () => {
      const { machines } = await right.api.ok<{ machines: unknown[] }>('GET', '/api/machines')
      return machines.length === 2
    }, 'two machines')
    await expectBothReachable()
    const [asking, answering] = [at(place), place === 'right' ? wrong : right]
    await askAndAnswer(asking, answering, `Asked at ${place}?`)
    for (const set of ['back', 'forward']) {
      process.kill(wrong.pid, 'SIGUSR2')
      await askAndAnswer(asking, answering, `Asked at ${place}, set ${set}?`)
      await expectBothReachable()
    }
  },
)

it.each(PLACES)('F28 an ask at the %s one expires neither before its time nor minutes after', async (place) => {
  const asked = begin(at(place), `Who answers at ${place}?`, '2s')
  const ask = await open(right, `Who answers at ${place}?`)
  process.kill(wrong.pid, 'SIGUSR2')
  expect(await asked.exited).toMatchObject({ code: 3 })
  const { outcome, expiresAt } = await right.api.ok<Ask>('GET', `/api/asks/${ask.id}`)
  expect(outcome).toMatchObject({ kind: 'expired' })
  expect(outcome?.at).toBeGreaterThanOrEqual(expiresAt ?? Number.POSITIVE_INFINITY)
})
