import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { ask, type Question, steps } from '@holdpoint/demo-model/scenarios'
import { type Script, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { armed, cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { type BuiltGateway, startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { claudeEnvironment } from '@holdpoint/testing/real-claude'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

// Two machines of one inbox as people run them: the built program twice on one PostgreSQL, the real Claude Code on each.

const question = (name: string): Question => ({
  question: `Where does ${name} go?`,
  header: 'Place',
  multiSelect: false,
  options: [
    { label: `${name} left`, description: 'To the left' },
    { label: `${name} right`, description: 'To the right' },
  ],
})
/** How often it ran is the number of lines. */
const run = (name: string) => use('Bash', { command: `echo ${name} ran >> ${name}.txt`, description: 'take a note' })
const SCRIPTS: Readonly<Record<string, Script>> = {
  commands: steps([run('one'), run('two'), run('three'), run('four')]),
  questions: steps([ask(question('five')), ask(question('six'))]),
  all: steps([run('seven'), run('eight'), ask(question('nine'))]),
}
const TOKEN = 'e'.repeat(64)

let root: string
let server: PostgresServer
let model: DemoModel
let browser: Browser
let desk: BuiltGateway
let build: BuiltGateway
/** The gateway on the build server, as it was started first and again. */
let startBuild: (dataDir?: string) => Promise<BuiltGateway>
const started: BuiltGateway[] = []

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hp-two-'))
  ;[server, browser] = await Promise.all([startPostgres(), launchChromium()])
  model = await startDemoModel({ script: (call) => (SCRIPTS[call.firstUserText] ?? steps([]))(call) })
  const database = await server.createDatabase()
  const start = async (name: string, dataDir?: string) => {
    const home = join(root, name)
    mkdirSync(home, { recursive: true })
    const gateway = await startBuiltGateway({
      ...(dataDir !== undefined && { dataDir }),
      token: TOKEN,
      env: claudeEnvironment({ home, url: model.url }),
      args: ['--database', database, '--machine-name', name],
    })
    started.push(gateway)
    return gateway
  }
  startBuild = (dataDir) => start('build-1', dataDir)
  ;[desk, build] = await Promise.all([start('desk'), startBuild()])
})
afterAll(async () => {
  await browser.close()
  // The ones that were started on a folder of an earlier one end with it.
  for (const gateway of started.toReversed()) await gateway[Symbol.asyncDispose]()
  await model.close()
  await server[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** An agent on a machine, in a folder of its own. */
async function agentOn(gateway: BuiltGateway, prompt: string) {
  const cwd = join(root, `work-${prompt}`)
  mkdirSync(cwd)
  const { id } = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'claude', cwd, prompt })
  return {
    id,
    /** Its open ask that was not seen before, as another gateway has it. */
    ask: (at: BuiltGateway, seen: readonly Ask[] = []): Promise<Ask> =>
      until(
        async () => (await at.api.openAsks(id)).find((open) => seen.every((old) => old.id !== open.id)),
        `an ask of ${prompt} at the other gateway`,
      ),
    epoch: async (at: BuiltGateway) => (await at.api.ok<Session>('GET', `/api/sessions/${id}`)).epoch,
    isIdle: (at: BuiltGateway) =>
      until(
        async () => (await at.api.ok<Session>('GET', `/api/sessions/${id}`)).state === 'user_turn',
        `${prompt} to be idle`,
      ),
    ran(name: string): string | undefined {
      try {
        return readFileSync(join(cwd, `${name}.txt`), 'utf8')
      } catch {
        return undefined
      }
    },
    /** What the model was last told in this conversation. */
    told: () => JSON.stringify(model.requests.filter(({ messages }) => JSON.stringify(messages).includes(cwd)).at(-1)),
  }
}

async function allow(page: Page, { id, tool }: Ask) {
  const card = cardOf(page, id)
  await card.getByText(String(tool?.input.command), { exact: true }).first().waitFor()
  await press(card, 'Allow once')
  await card.getByText('Allowed once').waitFor()
}

async function deny(page: Page, { id }: Ask, words: string) {
  const card = cardOf(page, id)
  await press(card, /^Deny/)
  await card.getByRole('textbox').fill(words)
  await press(card, 'Deny')
}

async function answer(page: Page, { id }: Ask, label: string) {
  const card = cardOf(page, id)
  await armed(card)
  await card.getByRole('radio', { name: label }).check()
  await press(card, /^Send/)
}

const given = (name: string, label: string) => JSON.stringify(`"Where does ${name} go?"="${label}"`).slice(1, -1)

it('[F1, I1, I4] agents on two machines are answered from the other one, also while the gateway of one is gone', async () => {
  const [commands, questions, all] = await Promise.all([
    agentOn(build, 'commands'),
    agentOn(build, 'questions'),
    agentOn(desk, 'all'),
  ])
  await using atDesk = await openPage(browser, desk)
  const two = await (async () => {
    await using atBuild = await openPage(browser, build, { width: 390 })

    const one = await commands.ask(desk)
    await allow(atDesk.page, one)
    const two = await commands.ask(desk, [one])
    expect(commands.ran('one')).toBe('one ran\n')

    const seven = await all.ask(build)
    await allow(atBuild.page, seven)
    const eight = await all.ask(build, [seven])
    expect(all.ran('seven')).toBe('seven ran\n')
    await deny(atBuild.page, eight, 'not from the phone')
    const nine = await all.ask(build, [seven, eight])
    expect(all.told()).toContain('not from the phone')
    await answer(atBuild.page, nine, 'nine right')
    await all.isIdle(build)
    expect(all.told()).toContain(given('nine', 'nine right'))
    return two
  })()
  await deny(atDesk.page, two, 'not on a Sunday')
  const three = await commands.ask(desk, [two])
  expect(commands.told()).toContain('not on a Sunday')
  const five = await questions.ask(desk)
  await answer(atDesk.page, five, 'five left')
  const six = await questions.ask(desk, [five])
  expect(questions.told()).toContain(given('five', 'five left'))

  const epochs = await Promise.all([commands.epoch(desk), questions.epoch(desk)])
  await build.kill9()
  const cards = [cardOf(atDesk.page, three.id), cardOf(atDesk.page, six.id)] as const
  const goneAt = performance.now()
  for (const card of cards) await card.getByText('Its machine, build-1, is not reachable.').waitFor()
  console.error(`said to be not reachable ${Math.round(performance.now() - goneAt)} ms after kill -9`)
  const allowing = cards[0].getByRole('button', { name: 'Allow once' })
  expect(await allowing.getAttribute('aria-disabled')).toBe('true')
  const refused = await desk.api.answer(three, { kind: 'allow' })
  expect(refused).toMatchObject({ status: 503, body: { error: { message: expect.stringContaining('machine') } } })
  await deny(atDesk.page, three, 'not while nobody looks')
  await answer(atDesk.page, six, 'six right')
  for (const card of cards)
    await card.getByText('Recorded. The agent gets it when its machine, build-1, is back.').waitFor()

  await startBuild(build.dataDir)
  const four = await commands.ask(desk, [three])
  expect(commands.told()).toContain('not while nobody looks')
  await allow(atDesk.page, four)
  await Promise.all([commands.isIdle(desk), questions.isIdle(desk)])
  for (const card of cards) await card.getByText('Recorded.').waitFor({ state: 'detached' })
  expect(questions.told()).toContain(given('six', 'six right'))
  expect(await Promise.all([commands.epoch(desk), questions.epoch(desk)])).toEqual(epochs)
  expect(['one', 'two', 'three', 'four'].map(commands.ran)).toEqual(['one ran\n', undefined, undefined, 'four ran\n'])
  expect(['seven', 'eight'].map(all.ran)).toEqual(['seven ran\n', undefined])
})
