import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Options, SDKSystemMessage } from '@anthropic-ai/claude-agent-sdk'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import { LONG } from '@holdpoint/testing/long'
import { type Folders, launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test, vi } from 'vitest'
import { sessionSettings } from '../sdk/launch-options.ts'
import { canary, projectSettings, trust, userSettings } from './facts.ts'

canary()

const WORDS = 'The folder speaks.'
const EVERYBODYS: Options = { settingSources: ['user', 'project', 'local'], permissionMode: 'default' }
const OURS: Options = { settings: sessionSettings({ gate: 'default', trusted: true }) }

async function scheduled({ cwd }: Folders): Promise<void> {
  const task = { id: 'aaaa1111', cron: '* * * * *', prompt: WORDS, createdAt: Date.now() - 600_000, recurring: true }
  await mkdir(join(cwd, '.claude'), { recursive: true })
  await writeFile(join(cwd, '.claude/scheduled_tasks.json'), JSON.stringify({ tasks: [task] }))
}

/** User and folder say that the agent has a clock. */
const switchedOn = (value: string) => async (folders: Folders) => {
  const settings = { env: { CLAUDE_CODE_DISABLE_CRON: value } }
  await trust(folders)
  await userSettings(folders, settings)
  await projectSettings(folders, settings)
}

async function tools(prepare: (folders: Folders) => Promise<void>, options: Options): Promise<string[]> {
  await using claude = await startRealClaude({ script: () => say('ready'), prepare, options })
  await claude.result()
  const init = claude.messages.find((message) => message.type === 'system' && message.subtype === 'init')
  return (init as SDKSystemMessage).tools
}

describe.concurrent('the agent’s clock', () => {
  test('is there in a plain session', async () => {
    expect(await tools(async () => {}, launch)).toContain('CronCreate')
  })

  test.each(['', '0'])('T65 is not there in ours, though the settings of user and folder say %j', async (value) => {
    const offered = await tools(switchedOn(value), { ...EVERYBODYS, ...OURS })
    expect(offered.filter((name) => name.startsWith('Cron'))).toEqual([])
    expect(offered).toContain('Bash')
  })
})

test.runIf(LONG)(
  'T65 a task of the folder is begun each minute in a plain session, and never in ours; nothing is put off',
  { timeout: 400_000 },
  async () => {
    const later: Script = (call) =>
      call.rounds.length === 0 && !call.lastUserText.includes(WORDS)
        ? { content: [use('ScheduleWakeup', { delaySeconds: 60, reason: 'to wait', prompt: WORDS })] }
        : say('ready')
    const start = (script: Script, prepare: (folders: Folders) => Promise<void>, options: Options) =>
      startRealClaude({ script, prepare, options })
    const heard = (claude: RealClaude) =>
      claude.model.requests.filter(({ messages }) => JSON.stringify(messages.at(-1)).includes(WORDS)).length
    await using plain = await start(() => say('ready'), scheduled, launch)
    await using ours = await start(() => say('ready'), scheduled, { ...launch, ...OURS })
    const both = async (folders: Folders) => {
      await switchedOn('')(folders)
      await scheduled(folders)
    }
    await using trusted = await start(() => say('ready'), both, { ...EVERYBODYS, ...OURS })
    await using postponed = await start(later, async () => {}, { ...launch, ...OURS })
    await Promise.all([plain, ours, trusted, postponed].map((claude) => claude.result()))
    // The same task is due at the same second in each; with the second time every first one has been.
    await vi.waitFor(() => expect(heard(plain)).toBeGreaterThan(1), { timeout: 300_000, interval: 500 })
    expect([ours, trusted, postponed].map(heard)).toEqual([0, 0, 0])
  },
)
