// One ask, seen at the same time by the clients of all dialects and by a browser; answered in any one of these
// places it leaves all the others, each in its own words. The same for an ask that nobody answers in time.
import { ask, steps } from '@holdpoint/demo-model/scenarios'
import { type Script, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { DialectName } from '@holdpoint/server/dialects/shared/dialect'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cardOf, press } from '../browser/cards.ts'
import { launchChromium } from '../browser/chromium.ts'
import { openPage } from '../browser/open-page.ts'
import { runCommand } from '../built-gateway.ts'
import { type RealGateway, startRealGateway } from '../e2e/real-gateway.ts'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { until } from '../until.ts'
import { connectAskUser } from './ask-user-client.ts'
import { connectPermissions } from './permission-client.ts'
import { connectProcessState } from './process-state-client.ts'
import { createTurnStreamClient } from './turn-stream-client.ts'

type Place = DialectName | 'web'
type Act = (ask: Ask, at: Everywhere) => Promise<unknown>
/**
 * What a person can do in a place: permissions are no questions, and a chat shows questions alone. `expired` waits until the
 * place has told that nobody answered, and fails if it tells of a person's no.
 */
type Acts = { readonly expired: Act } & (
  | { readonly approve: Act; readonly answerBlue?: Act }
  | { readonly approve?: Act; readonly answerBlue: Act }
)

/** A dialect that is missing here is a type error. */
const PLACES: Record<Place, Acts> = {
  'process-state': {
    approve: async (_, { session, state }) => state.client.approve(session.id, await state.request(session.id)),
    answerBlue: async (ask, { session, state }) =>
      state.client.answer(session.id, await state.request(session.id), blue(ask)),
    // Its protocol has no word for an end: the request is not there any more.
    expired: (_, { session, state }) => state.cleared(session.id),
  },
  'ask-user': {
    answerBlue: async (ask, { chat }) => chat.client.answer(blue(ask)),
    expired: async ({ id }, { chat }) =>
      expect(await chat.over({ question_id: id })).toMatchObject({ error: 'User response timed out' }),
  },
  permission: {
    approve: ({ id }, { permissions }) => permissions.client.replyTo(id, 'allow'),
    // Its protocol has no other reply than a deny: the reason says whose it is.
    expired: async (ask, { permissions }) =>
      expect(await permissions.replied(ask)).toMatchObject({ reply: 'deny', reason: 'timeout' }),
  },
  'turn-stream': {
    approve: ({ toolUseId = '' }, { turn }) => turn.client.approveTool(toolUseId),
    answerBlue: ({ toolUseId = '' }, { turn }) => turn.client.submitAnswers(toolUseId, ['Blue']),
    expired: async ({ toolUseId = '' }, { turn }) =>
      expect(await turn.call(toolUseId, ({ outcome }) => outcome)).toMatchObject({ outcome: 'expired' }),
  },
  web: {
    approve: ({ id }, { page }) => press(cardOf(page, id), 'Allow once'),
    async answerBlue({ id }, { page }) {
      await cardOf(page, id).getByRole('radio', { name: 'Blue' }).check()
      await press(cardOf(page, id), /^Send/)
    },
    async expired({ id }, { page }) {
      await cardOf(page, id).getByText('nobody answered in time').waitFor()
      expect(
        await cardOf(page, id)
          .getByText(/denied|declined|skipped|refused/i)
          .count(),
      ).toBe(0)
    },
  },
}
const APPROVING = placesWith('approve')
const ANSWERING = placesWith('answerBlue')

function placesWith(name: 'approve' | 'answerBlue') {
  return Object.entries(PLACES).flatMap(([place, acts]) => {
    const act = acts[name]
    return act ? [{ place, act, expired: acts.expired }] : []
  })
}

function blue({ questions }: Ask) {
  return { [questions?.[0]?.question ?? '']: 'Blue' }
}

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'like a fire engine' },
    { label: 'Blue', description: 'like the sea' },
  ],
}
const scripts: Record<string, Script> = {
  approvals: steps(APPROVING.map(({ place }) => use('Bash', { command: `touch by-${place}.txt` }))),
  'lone-call': steps([use('Bash', { command: 'touch never.txt' })]),
  'lone-question': steps([ask(colour)]),
  questions: steps(ANSWERING.map(({ place }) => ask({ ...colour, question: `Which colour, by ${place}?` }))),
}

let real: RealGateway
let browser: Browser
beforeAll(async () => {
  ;[real, browser] = await Promise.all([startRealGateway({ scripts }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await real[Symbol.asyncDispose]()
})

/** A session with somebody in every place. */
async function everywhere(scenario: string, start: Record<string, unknown> = {}) {
  const session = await real.session(scenario, { prompt: undefined, ...start })
  const server = { url: real.gateway.url, token: PROCESS_TOKEN }
  const [state, chat, permissions, turn, tab] = await Promise.all([
    connectProcessState(server),
    connectAskUser({ ...server, sessionId: session.id }),
    connectPermissions({ ...server, sessionId: session.id }),
    createTurnStreamClient({ ...server, sessionId: session.id }),
    openPage(browser, real, { path: `/sessions/${session.id}` }),
  ])
  const turnOver = turn.send(`scenario:${scenario} everywhere.`)

  return {
    session,
    state,
    chat,
    permissions,
    turn,
    page: tab.page,
    turnOver,
    async [Symbol.asyncDispose]() {
      for (const { client } of [state, chat, permissions, turn]) client.close()
      await turnOver.catch(() => {})
      await tab[Symbol.asyncDispose]()
    },
  }
}
type Everywhere = Awaited<ReturnType<typeof everywhere>>

async function outcomeOf({ id }: Ask) {
  return (await real.api.ok<Ask>('GET', `/api/asks/${id}`)).outcome
}

describe('an ask that is raised once', () => {
  it('for approval: seen in all places, answered in each in turn, and gone from all others', async () => {
    await using at = await everywhere('approvals')
    const { session, state, chat, permissions, turn, page } = at
    const messageBox = page.getByRole('textbox', { name: 'Message to the agent' })
    const row = page.getByRole('link').and(page.locator(`[href="/sessions/${session.id}"]`))
    let before: Ask | undefined
    for (const { place, act } of APPROVING) {
      const open = await session.ask((candidate) => candidate.id !== before?.id)
      before = open
      expect(await state.request(session.id, (request) => request.request_id === open.id)).toMatchObject({
        request_type: 'tool_approval',
        tool_name: 'Bash',
        tool_input: { command: `touch by-${place}.txt` },
      })
      expect(await permissions.request((request) => request.id === open.id)).toMatchObject({
        tool: 'Bash',
        metadata: { command: `touch by-${place}.txt` },
      })
      await turn.pending((call) => call.toolCallId === open.toolUseId && call.interactiveType === 'approval')
      // A chat cannot show it, and says that the session waits.
      await chat.waitFor(() => chat.client.status?.waiting_for_user && chat.client.question === null)
      await cardOf(page, open.id).getByRole('button', { name: 'Allow once' }).waitFor()
      // Of the process-state protocol: the form is in the place of the message box, and the list of sessions marks who
      // waits.
      await messageBox.waitFor({ state: 'hidden' })
      await row.getByText('needs answer').waitFor()

      await act(open, at)

      await state.client.waitFor(() => state.client.getPendingRequest(session.id)?.request_id !== open.id)
      expect(await permissions.replied(open)).toEqual({
        sessionId: session.id,
        requestId: open.id,
        reply: 'allow',
        ...(place !== 'permission' && { reason: 'answered-elsewhere' }),
      })
      await permissions.waitFor(() => permissions.client.pendingQueue.every(({ id }) => id !== open.id))
      await turn.call(open.toolUseId ?? '', ({ outcome }) => outcome === 'allowed')
      await cardOf(page, open.id).getByText('Allowed once').waitFor()
      expect(await outcomeOf(open)).toMatchObject({ kind: 'allowed', via: place })
    }
    await at.turnOver
    await chat.waitFor(() => chat.client.status?.waiting_for_user === false)
    await messageBox.waitFor()
    await row.getByText('idle').waitFor()
    expect(await Promise.all(APPROVING.map(({ place }) => session.file(`by-${place}.txt`)))).toEqual(
      APPROVING.map(() => ''),
    )
  })

  it('as a question: seen wherever questions are, answered in each in turn, and gone from all others', async () => {
    await using at = await everywhere('questions')
    const { session, state, chat, permissions, turn, page } = at
    let before: Ask | undefined
    for (const { place, act } of ANSWERING) {
      const open = await session.ask((candidate) => candidate.id !== before?.id)
      before = open
      const { questions } = (await state.request(session.id, (request) => request.request_id === open.id)).tool_input
      expect(questions).toMatchObject([{ question: `Which colour, by ${place}?` }])
      await chat.waitFor(() => chat.client.question?.question_id === open.id)
      await turn.pending((call) => call.toolCallId === open.toolUseId && call.interactiveType === 'question')
      await cardOf(page, open.id).getByRole('radio', { name: 'Blue' }).waitFor()
      // A question is no permission.
      expect(permissions.client.pendingQueue).toEqual([])

      await act(open, at)

      await state.client.waitFor(() => state.client.getPendingRequest(session.id)?.request_id !== open.id)
      await chat.waitFor(() => chat.client.question?.question_id !== open.id)
      if (place !== 'ask-user') {
        expect(await chat.over({ question_id: open.id })).toMatchObject({
          error: 'The question was answered elsewhere',
        })
      }
      await turn.call(open.toolUseId ?? '', ({ outcome }) => outcome === 'answered')
      await cardOf(page, open.id).getByRole('radio', { name: 'Blue' }).waitFor({ state: 'hidden' })
      expect(await outcomeOf(open)).toMatchObject({ kind: 'answered', via: place })
    }
    await at.turnOver
  })
})

describe('an ask that nobody answers in time', () => {
  /** Long enough to be seen in all places before; nothing here depends on it. */
  const askTimeoutMs = 2000
  const nobody = 'nobody was there.'

  /** What the agent was last told. */
  const told = (scenario: string) =>
    JSON.stringify(
      real.model.requests.findLast(({ messages }) =>
        JSON.stringify(messages).includes(`scenario:${scenario} everywhere.`),
      )?.messages,
    )

  async function letExpire(at: Everywhere, places: typeof APPROVING) {
    const open = await at.session.ask()
    await Promise.all(places.map(({ expired }) => expired(open, at)))
    expect(await outcomeOf(open)).toEqual({ kind: 'expired', at: expect.any(Number), via: 'gateway' })
    const env = { HOLDPOINT_TOKEN: PROCESS_TOKEN }
    const line = await runCommand(['asks', open.id, '--data', real.dataDir], { env, home: real.home })
    expect(line.stdout).toMatch(/Outcome +expired, nobody answered in time; at/)
    await at.session.idle()
  }

  it('for approval: expired in all places, a person’s no in none, and the agent is told', async () => {
    await using at = await everywhere('lone-call', { askTimeoutMs })
    await letExpire(at, APPROVING)
    expect(told('lone-call')).toContain(`Nobody answered in time. This is not a refusal: ${nobody}`)
    expect(await at.session.file('never.txt')).toBeUndefined()
  })

  it('as a question: the same wherever questions are', async () => {
    await using at = await everywhere('lone-question', { askTimeoutMs })
    await letExpire(at, ANSWERING)
    expect(told('lone-question')).toContain(`Nobody answered in time. This is not a refusal: ${nobody}`)
  })

  it.each([
    ['approval', 'lone-call', () => APPROVING],
    ['question', 'lone-question', () => ANSWERING],
  ] as const)(
    'with an interrupt, for its kind alone (%s): the next message begins with the line that says so',
    async (kind, scenario, places) => {
      const timeLimits = [{ kind, afterMs: askTimeoutMs, onTimeout: 'interrupt' }]
      await using at = await everywhere(scenario, { timeLimits })
      await letExpire(at, places())
      await at.session.send('And now?')
      await until(() => told(scenario).includes('And now?'), 'the next message')
      await at.session.idle()
      // Claude Code has dropped our words from its result, and put its own there, which are not so.
      expect(told(scenario)).toContain("The user doesn't want to proceed")
      expect(told(scenario)).toContain(`so your turn was stopped. This was not a refusal: ${nobody}\\n\\nAnd now?`)
      const { page } = at
      await page.getByText('The agent was told before your message').waitFor()
      expect(await at.session.file('never.txt')).toBeUndefined()
    },
  )
})
