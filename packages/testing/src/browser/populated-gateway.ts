import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import type { NewItem } from '@holdpoint/core/driver'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { createSyntheticDriver, type SyntheticAgent } from '../synthetic-driver.ts'
import { until } from '../until.ts'
import { startAppGateway } from './app-gateway.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const REPORT = `The queue retries at **fixed steps**, so all workers wake at once. What I found:

- \`delay()\` is linear, see \`src/queue/backoff.ts\`
- the dead-letter check comes *after* the claim

| step | risk |
| --- | --- |
| migration | locks \`jobs\` for a moment |
| back-off | slower first retry |

\`\`\`ts
export function delay(attempt: number) {
  return 1000 * attempt
}
\`\`\`

> Nothing is deployed by this.
`

/** Every kind of item that a thread can hold. */
const ITEMS: readonly NewItem[] = [
  { type: 'thinking', text: 'The back-off is linear. Look at the claim first.' },
  { type: 'tool-call', toolUseId: 'read', name: 'Read', input: { file_path: 'src/queue/backoff.ts' } },
  { type: 'tool-result', toolUseId: 'read', text: 'export function delay(attempt: number) {', isError: false },
  { type: 'tool-call', toolUseId: 'test', name: 'Bash', input: { command: 'npm test -- queue', timeout: 60_000 } },
  { type: 'tool-result', toolUseId: 'test', text: '1 failed: claims twice', isError: true, omitted: 4096 },
  { type: 'message', role: 'assistant', text: REPORT },
  { type: 'tool-call', toolUseId: 'task', name: 'Task', input: { description: 'migrate-tables' } },
  { type: 'message', role: 'assistant', text: 'Two tables need a new column.', subagent: 'migrate-tables' },
  { type: 'tool-call', toolUseId: 'grep', name: 'Grep', input: { pattern: 'attempts' }, subagent: 'migrate-tables' },
  { type: 'tool-result', toolUseId: 'grep', text: '', isError: false, subagent: 'migrate-tables' },
  { type: 'tool-result', toolUseId: 'task', text: 'Both are migrated.', isError: false },
  { type: 'notice', level: 'info', text: 'The agent summarised what was said before.' },
  { type: 'notice', level: 'error', text: 'The model was overloaded; the agent tried again.' },
]

const DIFF = `--- src/queue/backoff.ts
+++ src/queue/backoff.ts
@@ -12,5 +12,6 @@
 import { JOB_LIMIT } from './limits.ts'
 
 export function delay(attempt: number) {
-  return 1000 * attempt
+  const base = Math.min(30_000, 500 * 2 ** attempt)
+  return base / 2 + Math.random() * (base / 2)
 }
`

export function command(text: string): Partial<AskRequest> {
  return {
    tool: { name: 'Bash', input: { command: text } },
    title: `Bash: ${text}`,
    context: { cwd: '/home/ann/code/payments-api', command: text },
  }
}

export const CURRENCIES: Partial<AskRequest> = {
  kind: 'question',
  title: 'A question',
  tool: { name: 'AskUserQuestion', input: {} },
  questions: [
    {
      header: 'Currency',
      question: 'Which currency comes first?',
      multiSelect: false,
      options: [{ label: 'EUR', description: 'Most orders are in it' }, { label: 'USD' }, { label: 'GBP' }],
    },
  ],
}

/** A gateway with agents in every state, asks of several kinds, and a past: what a person sees after a day of use. */
export async function startPopulatedGateway() {
  const root = await mkdtemp(join(tmpdir(), 'holdpoint-places-'))
  const claude = createSyntheticDriver('claude')
  const demo = createSyntheticDriver('demo')
  const judged = { ...claude.driver, actionOf: callAction }
  const test = await startAppGateway({ drivers: () => [judged, demo.driver] })
  const { api } = test

  async function start(title: string, { folder, prompt }: { folder: string; prompt?: string }) {
    const cwd = join(root, folder)
    await mkdir(cwd, { recursive: true })
    const session = await api.ok<Session>('POST', '/api/sessions', { cwd, title, ...(prompt && { prompt }) })
    return { session, agent: await claude.agentOf(session.id) }
  }
  async function answered(agent: SyntheticAgent, request: Partial<AskRequest>, answer: Record<string, unknown>) {
    const { ask } = await test.openAsk(agent, request)
    const reply = await api.answer(ask, answer)
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  }

  async function addRules(folder: string) {
    const everywhere = { kind: 'everywhere' }
    for (const rule of [
      { effect: 'allow', pattern: 'Bash(ls *)', scope: everywhere, match: ['ls -l src'], notMatch: ['ls /'] },
      { effect: 'ask', pattern: 'Bash(psql *)', scope: everywhere, why: 'It may change the database.' },
      { effect: 'deny', pattern: 'Bash(rm -rf *)', scope: { kind: 'project', folder } },
    ])
      await api.ok('POST', '/api/policy/rules', { agent: '*', ...rule })
  }
  /** A call that a rule decides. */
  async function ruled(by: SyntheticAgent, text: string) {
    const { context = {}, ...request } = command(text)
    await by.start.ask(
      {
        kind: 'approval',
        title: text,
        suggestions: [],
        flags: { defaultToNo: false, noRemember: false },
        requestId: `ruled ${text}`,
        ...request,
        context: { ...context, cwd: join(root, 'payments-api') },
      },
      { signal: new AbortController().signal, mayRuleAllow: true },
    )
  }

  const waiting = await start('Retry queue rewrite', { folder: 'payments-api', prompt: 'Make the queue back off.' })
  const { agent } = waiting
  await agent.start.emit(ITEMS.map((item) => ({ type: 'item', item })))
  await addRules(waiting.session.cwd)
  await ruled(agent, 'ls -l src')
  await ruled(agent, 'rm -rf build')
  await answered(agent, command('npm ci'), { kind: 'allow' })
  await answered(agent, command('npm test -- queue'), { kind: 'allow', remember: { scope: 'session' } })
  await answered(agent, command('git push --force'), { kind: 'deny', message: 'Open a pull request instead.' })
  await answered(agent, CURRENCIES, { kind: 'answer', answers: [{ question: 0, selected: ['EUR'] }] })
  const picture = await bring()
  await api.ok('POST', `/api/sessions/${waiting.session.id}/messages`, {
    text: 'Then look at this picture.',
    attachments: [picture],
  })
  const asks: Ask[] = []
  for (const request of [
    command('psql "$DATABASE_URL" -c \'alter table jobs add column attempts int\' && npm run migrate:status'),
    {
      tool: { name: 'Edit', input: { file_path: 'src/queue/backoff.ts', old_string: 'a', new_string: 'b' } },
      title: 'Edit',
      context: { cwd: '/home/ann/code/payments-api', filePath: 'src/queue/backoff.ts', diff: DIFF },
      agentSays: 'Exponential back-off with jitter.',
    },
  ]) {
    asks.push((await test.openAsk(agent, request)).ask)
  }

  const asking = await start('Pricing page', { folder: 'site', prompt: 'Draw a pricing page.' })
  asks.push((await test.openAsk(asking.agent, CURRENCIES)).ask)

  const working = await start('Translate the handbook to French', { folder: 'site', prompt: 'Translate it.' })

  const idle = await start('A look around', { folder: 'payments-api', prompt: 'Look around.' })
  await idle.agent.start.emit([{ type: 'item', item: { type: 'message', role: 'user', text: 'What is in `src`?' } }])
  await idle.agent.say('Nothing to worry about.')
  await idle.agent.endTurn()

  const failed = await start('Broken build', { folder: 'infra', prompt: 'Mend the build.' })
  failed.agent.die({ reason: 'error', error: { code: 'agent-died', message: 'The agent ran out of memory.' } })
  await until(
    async () => (await api.ok<Session>('GET', `/api/sessions/${failed.session.id}`)).state === 'dead',
    'the end of the failed session',
  )
  await api.ok('POST', `/api/sessions/${idle.session.id}/trust`)
  await api.ok('POST', '/api/time-limits', { afterMs: 3_600_000 })
  await api.ok('POST', '/api/time-limits', {
    project: idle.session.cwd,
    kind: 'question',
    afterMs: 55_000,
    onTimeout: 'interrupt',
  })
  await test.credential({ role: 'approver' }, 'browser')
  await test.credential({ role: 'viewer' })

  async function bring(): Promise<string> {
    const reply = await fetch(`${api.url}/api/attachments`, {
      method: 'POST',
      headers: { ...(await test.credential({ role: 'owner' })).headers, 'content-type': 'image/png' },
      body: PIXEL,
    })
    return ((await reply.json()) as { id: string }).id
  }

  return {
    ...test,
    /** Open ones, oldest first. */
    asks,
    /** What the working agent says now, letter by letter. */
    speak: (text: string) => working.agent.start.live({ type: 'text-delta', text }),
    sessions: {
      waiting: waiting.session.id,
      asking: asking.session.id,
      working: working.session.id,
      idle: idle.session.id,
      failed: failed.session.id,
    },
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}
export type PopulatedGateway = Awaited<ReturnType<typeof startPopulatedGateway>>
