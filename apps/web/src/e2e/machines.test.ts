import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { armed, cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings, findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { focused } from '@holdpoint/testing/browser/focus'
import { type OpenPageOptions, openPage } from '@holdpoint/testing/browser/open-page'
import { command } from '@holdpoint/testing/browser/populated-gateway'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import type { SyntheticAgent } from '@holdpoint/testing/synthetic-driver'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let both: Machines
beforeAll(async () => {
  browser = await launchChromium()
  both = await twoMachines()
})
afterAll(async () => {
  await both[Symbol.asyncDispose]()
  await browser.close()
})

const ADDRESS = 'https://build.example:4680'

/** The gateway of an owner's page, on a desk, and one on a build server. */
async function twoMachines(options: OpenPageOptions = {}) {
  const shared = createMemoryCluster()
  const desk = shared.node('desk')
  const build = shared.node('build-1')
  const here = await startAppGateway(desk)
  const open = (more: OpenPageOptions) => openPage(browser, here, { reducedMotion: true, ...more })
  const tab = await open(options)
  const there = await startTestGateway(build)
  desk.cluster.describe({ version: '0.1.0', agents: ['claude', 'synthetic'] })
  build.cluster.describe({ version: '0.1.0', agents: ['synthetic'], address: ADDRESS })
  return {
    here,
    there,
    node: build.cluster.node,
    describe: build.cluster.describe,
    reach: (isReachable: boolean) => shared.reach(build.cluster.node, isReachable),
    /** No gateway is heard of without the database. */
    reachDatabase(isReachable: boolean) {
      for (const { cluster } of [build, desk]) shared.reach(cluster.node, isReachable)
    },
    open,
    page: tab.page,
    goTo: (path: string) => tab.page.goto(here.api.url + path),
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]()
      await here[Symbol.asyncDispose]()
      await there[Symbol.asyncDispose]()
    },
  }
}

type Machines = Awaited<ReturnType<typeof twoMachines>>

/** A session on the build server, known to the gateway of the page. */
async function sessionThere({ here, there }: Machines, title = 'Nightly build') {
  const made = await there.session({ title })
  await expect.poll(async () => (await here.api.call('GET', `/api/sessions/${made.session.id}`)).status).toBe(200)
  return made
}

/** An ask that its agent takes the outcome of only when the test says so, as if it were out of reach. */
async function askThere({ here }: Machines, agent: SyntheticAgent, requestId: string, command: string) {
  const known = new Set((await here.api.openAsks()).map(({ id }) => id))
  const outcome = agent.start.ask(
    {
      requestId,
      kind: 'approval',
      toolUseId: `toolu_${requestId}`,
      tool: { name: 'Bash', input: { command } },
      title: command,
      context: { cwd: agent.start.cwd, command },
      suggestions: [],
      flags: { defaultToNo: false, noRemember: false },
    },
    { signal: new AbortController().signal },
  )
  outcome.catch(() => {})
  const found = async () => (await here.api.openAsks()).find(({ id }) => !known.has(id))
  await expect.poll(found).toBeDefined()
  const ask = await found()
  if (!ask) throw new Error('the ask did not open')
  return { ask, outcome, deliver: () => agent.start.delivered([requestId]) }
}

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Machines' }).getByRole('listitem').filter({ hasText: name })

it('lists the machines for everyone, and lets an owner rename and drain them', async () => {
  const { page, goTo, open } = both
  await goTo('/machines')
  await row(page, 'desk').getByText('this gateway').waitFor()
  await row(page, 'build-1').getByText('Reachable · no sessions').waitFor()
  await row(page, 'build-1').getByText('Holdpoint 0.1.0 · synthetic').waitFor()
  expect(await findings(page, 'main')).toEqual([])
  await page.getByRole('button', { name: 'Rename build-1' }).press('Enter')
  expect(await focused(page)).toBe('input New name of build-1')
  await page.keyboard.type('CI')
  await page.keyboard.press('Enter')
  await row(page, 'CI').getByText('Reachable').waitFor()
  expect(await focused(page)).toBe('button Rename CI')
  await page.keyboard.press('Enter')
  await page.keyboard.type('build-1')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Drain build-1' }).press('Enter')
  await row(page, 'build-1').getByText('It takes no new sessions.').waitFor()
  expect(await focused(page)).toBe('button Stop draining build-1')
  await screenshots(page, 'machines/drain')
  await page.keyboard.press('n')
  const choice = page.getByLabel('Machine', { exact: true })
  await choice.waitFor()
  expect(await choice.locator('option:disabled').allInnerTexts()).toEqual(['build-1 (takes no new sessions)'])
  await page.goBack()
  await page.getByRole('button', { name: 'Stop draining build-1' }).press('Enter')
  await page.getByRole('button', { name: 'Drain build-1' }).waitFor()

  await using guest = await open({ path: '/machines', role: 'viewer', width: 390 })
  await row(guest.page, 'build-1').waitFor()
  expect(await guest.page.locator('main').getByRole('button').count()).toBe(0)
})

it('says that the database is away, and then of no machine that it is', async () => {
  await using machines = await twoMachines({ width: 390, path: '/machines' })
  const { reachDatabase, page } = machines
  await sessionThere(machines)
  await row(page, 'build-1').getByText('1 session').waitFor()
  reachDatabase(false)
  await page.getByText('The gateway cannot reach its database.').waitFor()
  await row(page, 'build-1').getByText('State not known').waitFor()
  expect(await page.getByRole('button', { name: /^(Give up|Forget)/ }).count()).toBe(0)
  expect(await findingsInBothThemes(page, 'body')).toEqual([])
  await screenshots(page, 'machines/database-away')
  reachDatabase(true)
  await page.getByText('The gateway cannot reach its database.').waitFor({ state: 'detached' })
  await row(page, 'build-1').getByText('Reachable · 1 session').waitFor()
})

it('[I4] says of an ask that its machine is gone, takes the no and offers no allow until it is back', async () => {
  await using machines = await twoMachines({ width: 390 })
  const { reach, page } = machines
  const { agent } = await sessionThere(machines)
  const first = await askThere(machines, agent, 'one', 'make release')
  const second = await askThere(machines, agent, 'two', 'make deploy')
  const cards = [cardOf(page, first.ask.id), cardOf(page, second.ask.id)] as const
  await armed(cards[0])
  reach(false)
  for (const card of cards) await card.getByText('Its machine, build-1, is not reachable.').waitFor({ timeout: 5000 })
  expect(await cards[0].getByRole('button', { name: 'Allow once' }).getAttribute('aria-disabled')).toBe('true')
  await cards[0].focus()
  await page.keyboard.press('a')
  expect(await findingsInBothThemes(page, 'main')).toEqual([])
  await screenshots(page, 'machines/away')
  await cards[0].getByRole('button', { name: 'Deny…' }).click()
  await press(cards[0], 'Deny')
  await cards[0].getByText('Recorded. The agent gets it when its machine, build-1, is back.').waitFor()
  expect(await first.outcome).toMatchObject({ kind: 'denied' })
  await screenshots(page, 'machines/recorded')

  reach(true)
  await cards[1].getByText('not reachable').first().waitFor({ state: 'detached' })
  first.deliver()
  await cards[0].getByText('Recorded.').waitFor({ state: 'detached' })
  await press(cards[1], 'Allow once')
  expect(await second.outcome).toMatchObject({ kind: 'allowed' })
})

it('starts a session on the machine that was chosen, with its agents and folders, and remembers it', async () => {
  const { there, node, page, goTo, reach } = both
  await goTo('/new')
  const choice = page.getByLabel('Machine', { exact: true })
  await page.getByRole('radio', { name: 'Claude Code' }).waitFor()
  expect(await choice.locator('option').allInnerTexts()).toEqual(['build-1', 'desk (this gateway)'])
  await choice.selectOption('build-1')
  await page.getByRole('radio', { name: 'Claude Code' }).waitFor({ state: 'detached' })
  await page.getByLabel('Folder', { exact: true }).fill('/nowhere/at/all')
  await page.getByText('This folder does not exist on build-1.').waitFor()
  await page.getByLabel('Folder', { exact: true }).fill(there.dataDir)
  await page.getByText(there.dataDir, { exact: true }).waitFor()
  await page.getByLabel('First message').fill('Build it.')
  expect(await findings(page, 'main')).toEqual([])
  await screenshots(page, 'machines/new')
  reach(false)
  await page.getByText('build-1 is not reachable at the moment.').waitFor()
  expect(await page.getByRole('button', { name: 'Start' }).getAttribute('aria-disabled')).toBe('true')
  await screenshots(page, 'machines/new-away')
  reach(true)
  await page.getByText('build-1 is not reachable').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Start' }).click()
  const dialog = page.getByRole('dialog', { name: 'Trust this folder?' })
  await dialog.getByText('build-1').waitFor()
  await screenshots(page, 'machines/new-trust')
  await dialog.getByRole('button', { name: 'Start without trusting' }).click()
  await page.waitForURL(/sessions\/ses_/)
  const agent = await there.synthetic.agentOf(page.url().split('/').at(-1) as `ses_${string}`)
  await expect.poll(() => agent.messages.map(({ text }) => text)).toEqual(['Build it.'])
  await page.locator('header').getByText('build-1').waitFor()
  await page.getByRole('link', { name: 'New session' }).click()
  await expect.poll(() => choice.inputValue()).toBe(node)
})

it('shows where a terminal of another machine is, and does not open it here', async () => {
  const { here, there, describe: say, goTo, page } = both
  const { id } = await there.terminal()
  await expect.poll(async () => (await here.api.call('GET', `/api/sessions/${id}`)).status).toBe(200)
  const sockets: string[] = []
  page.on('websocket', (socket) => sockets.push(new URL(socket.url()).pathname))
  await goTo(`/sessions/${id}`)
  const place = page.getByRole('region', { name: 'Terminal' })
  await place.getByText('Its terminal is on build-1').waitFor()
  expect(await place.getByRole('link').getAttribute('href')).toBe(`${ADDRESS}/sessions/${id}`)
  await screenshots(page, 'machines/terminal')
  say({ version: '0.1.0', agents: [] })
  await place.getByText('start it with --advertise URL').waitFor()
  expect(await place.getByRole('link').count()).toBe(0)
  expect(sockets).toEqual(['/api/stream'])
})

it('names the machine in the history, and finds what was asked there', async () => {
  const { here, there, node, goTo, page, open } = both
  const made = await here.session({ title: 'Here' })
  for (const { agent, title } of [
    { ...(await sessionThere(both, 'Nightly')), title: 'make image' },
    { agent: made.agent, title: 'make lint' },
  ]) {
    const gateway = agent === made.agent ? here : there
    const { ask, outcome } = await gateway.openAsk(agent, command(title))
    await gateway.api.answer(ask, { kind: 'deny' })
    await outcome
  }
  await goTo('/history')
  const lines = page.getByRole('main').getByRole('listitem')
  const built = lines.filter({ hasText: 'make image' })
  await built.getByRole('link', { name: /Nightly .* build-1/ }).waitFor()
  await lines
    .filter({ hasText: 'make lint' })
    .getByRole('link', { name: /Here .* desk/ })
    .waitFor()
  await page.getByLabel('Machine', { exact: true }).selectOption(node)
  await lines.filter({ hasText: 'make lint' }).waitFor({ state: 'detached' })
  await built.locator('summary').click()
  await built.getByText('head of the session').waitFor()
  expect(await built.locator('dl').innerText()).toMatch(/machine\s+build-1/)
  expect(await findingsInBothThemes(page, 'main')).toEqual([])
  await screenshots(page, 'machines/history')
  await using phone = await open({ path: '/history', width: 390 })
  await phone.page.getByRole('link', { name: /Nightly .* build-1/ }).waitFor()
  await phone.page.getByRole('button', { name: 'Filter' }).click()
  await phone.page.getByLabel('Machine', { exact: true }).waitFor()
  expect(await findings(phone.page, 'main')).toEqual([])
  await screenshots(phone.page, 'machines/history')
})

it('gives up a machine after saying what that does, and forgets it', async () => {
  await using machines = await twoMachines()
  const { reach, goTo, page } = machines
  const { session, agent } = await sessionThere(machines)
  const { ask } = await askThere(machines, agent, 'one', 'make release')
  await goTo(`/sessions/${session.id}`)
  await page.getByText('make release').first().waitFor()
  reach(false)
  await page.getByText('Its machine, build-1, is not reachable.').first().waitFor()
  await screenshots(page, 'machines/session-away')
  await page.getByRole('link', { name: 'Machines' }).last().click()
  await row(page, 'build-1').getByText('Not reachable.').waitFor()
  await screenshots(page, 'machines/list-away')
  await page.getByRole('button', { name: 'Give up build-1…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Give up this machine?' })
  for (const words of [
    'Its session ends now.',
    'The open ask is withdrawn: nobody can answer it any more.',
    'may still be working there',
    'If the machine comes back, they are ended.',
  ])
    expect(await dialog.innerText()).toContain(words)
  expect(await findings(page, 'dialog[open]')).toEqual([])
  await screenshots(page, 'machines/give-up')
  await dialog.getByRole('button', { name: 'Give it up' }).press('Enter')
  await row(page, 'build-1').getByText('no sessions').waitFor()
  expect(await machines.here.store.ask(ask.id)).toMatchObject({ outcome: { kind: 'withdrawn', reason: 'orphaned' } })
  await page.getByRole('button', { name: 'Forget build-1…' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).press('Enter')
  await row(page, 'build-1').waitFor({ state: 'detached' })
  // With one gateway there is nothing to see of any machine.
  const link = page.getByRole('navigation').getByRole('link')
  expect(await link.filter({ hasText: 'Machines' }).count()).toBe(0)
  expect(await page.getByLabel('Filter sessions by machine').count()).toBe(0)
  await link.filter({ hasText: 'New session' }).click()
  await page.getByLabel('First message').waitFor()
  expect(await page.getByLabel('Machine', { exact: true }).count()).toBe(0)
})
