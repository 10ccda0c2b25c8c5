import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { fillForm, type Step, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { bundleFormsServer } from '@holdpoint/testing/bundle-forms-server'
import { askForAll, launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { detachable } from './detachable.ts'
import { canary, firstAsk, touch, verdicts } from './facts.ts'

canary()

let folder = ''
let forms = { command: '', args: [] as string[] }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-forms-'))
  forms = await bundleFormsServer(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const never = () => new Promise<never>(() => {})

/** Starts an agent, waits for `open`, cuts the SDK off and attaches a second one. */
async function reattached(options: {
  list: readonly Step[]
  before: Options
  after: Options
  answerBefore?: 'never'
  dropsHooks?: true
  open: (first: RealClaude) => Promise<unknown>
  within: (first: RealClaude, second: RealClaude, agent: ReturnType<typeof detachable>) => Promise<void>
}) {
  await using agent = detachable({ dropsHooks: options.dropsHooks === true })
  const spawnClaudeCodeProcess = agent.spawn
  await using first = await startRealClaude({
    script: steps(options.list),
    ...(options.answerBefore && { answer: never }),
    options: { ...launch, ...options.before, spawnClaudeCodeProcess },
  })
  await options.open(first)
  agent.cut()
  await using second = await startRealClaude({
    // The process that is already running talks to the first run's endpoint.
    script: steps([]),
    folders: first,
    prompt: null,
    options: { ...launch, ...options.after, spawnClaudeCodeProcess },
  })
  await options.within(first, second, agent)
  second.endInput()
  await agent.gone()
}

describe.concurrent('a second SDK on the same agent', () => {
  test('gets the open ask again with the same request id, and its answer counts', async () => {
    await reattached({
      list: [touch('made'), use('Bash', { command: 'ls' })],
      before: { hooks: askForAll },
      after: { hooks: askForAll },
      answerBefore: 'never',
      open: firstAsk,
      within: async (first, second) => {
        const again = await firstAsk(second)
        expect(again.context.requestId).toBe(first.asks[0]?.context.requestId)
        expect(again.context.toolUseID).toBe(first.asks[0]?.context.toolUseID)
        expect(again.input).toEqual(first.asks[0]?.input)
        expect(await second.result()).toMatchObject({ subtype: 'success', result: 'done' })
        // The second call went through the new SDK's gate hook: `ls` asks only because of it.
        expect(verdicts(second)).toEqual(['asked, ran', 'asked, ran'])
        expect(await second.files()).toEqual(['made'])
      },
    })
  })

  test('gets an open form only when its line is replayed, then with the same request id', async () => {
    const ids: { before: string[]; after: string[] } = { before: [], after: [] }
    const server: Options = { mcpServers: { forms: { type: 'stdio', ...forms } } }
    await reattached({
      list: [fillForm()],
      before: {
        ...server,
        onElicitation: (_, { requestId }) => {
          ids.before.push(requestId)
          return never()
        },
      },
      after: {
        ...server,
        onElicitation: async (_, { requestId }) => {
          ids.after.push(requestId)
          return { action: 'accept', content: { name: 'Ada' } }
        },
      },
      open: () => vi.waitFor(() => expect(ids.before).toHaveLength(1), { timeout: 10_000 }),
      within: async (_, second, agent) => {
        await second.query.initializationResult()
        await sleep(1_000)
        expect(ids.after).toEqual([])
        const line = agent.lines.find(({ request }) => (request as { subtype?: string })?.subtype === 'elicitation')
        agent.replay(line ?? {})
        await second.result()
        expect(ids.after).toEqual(ids.before)
        expect(second.toolResults().map((made) => made.text)).toEqual(['accept {"name":"Ada"}'])
      },
    })
  })

  test('[T65] goes on with a gate hook that waits, if it brings no hooks and the line is replayed', async () => {
    const heard: string[] = []
    const hooks = (answers: boolean): Options['hooks'] => ({
      PreToolUse: [
        {
          hooks: [
            async (input) => {
              if (input.hook_event_name !== 'PreToolUse') return {}
              heard.push(`${answers ? 'second' : 'first'}: ${input.tool_use_id}`)
              if (!answers) return never()
              return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }
            },
          ],
          onFailure: 'block',
        },
      ],
    })
    await reattached({
      list: [touch('made'), touch('later')],
      before: { hooks: hooks(false) },
      after: { hooks: hooks(true) },
      dropsHooks: true,
      open: () => vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 10_000 }),
      within: async (_, second, agent) => {
        await second.query.initializationResult()
        const open = agent.lines.find((line) => JSON.stringify(line).includes('"PreToolUse"'))
        agent.replay(open ?? {})
        await second.result()
        const [first, again, later] = heard
        expect([first, again]).toEqual([first, first?.replace('first', 'second')])
        expect(later).toMatch(/^second/)
        expect(await second.files()).toEqual(['later', 'made'])
      },
    })
  })

  test('finds a gate hook that had not answered failed, and the call unrun', async () => {
    let reached = false
    const waiting: Options['hooks'] = {
      PreToolUse: [
        {
          hooks: [
            () => {
              reached = true
              return never()
            },
          ],
          onFailure: 'block',
        },
      ],
    }
    await reattached({
      list: [touch('made')],
      before: { hooks: waiting },
      after: { hooks: askForAll },
      open: () => vi.waitFor(() => expect(reached).toBe(true), { timeout: 10_000 }),
      within: async (_, second) => {
        await second.result()
        expect(second.toolResults()).toMatchObject([{ isError: true, text: expect.stringContaining('reconnected') }])
        expect(await second.files()).toEqual([])
      },
    })
  })
})
