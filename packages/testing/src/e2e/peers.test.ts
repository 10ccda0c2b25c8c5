import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steps } from '@holdpoint/demo-model/scenarios'
import { type ModelCall, say, use } from '@holdpoint/demo-model/script'
import { launch, startRealClaude } from '@holdpoint/testing/real-claude'
import { expect, it, vi } from 'vitest'
import { startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000 })

const WORDS = 'Please do it again.'
const write = (to: string) => use('SendMessage', { to, message: WORDS, summary: 'a request' })
const results = (call: ModelCall) => call.calls.map(({ result }) => result?.text ?? '')

it('T65 no other session can make an agent act, nor can it make others act', async () => {
  /** What the sessions of this user are known by, inside and outside of the gateway. */
  const known: { name: string; messagingSocketPath?: string }[] = []
  const told: string[] = []
  await using real = await startRealGateway({
    scripts: {
      remembers(call) {
        const isToAct = call.calls.length === 0 || JSON.stringify(call.messages.at(-1)).includes(WORDS)
        return isToAct ? { content: [use('Bash', { command: 'date >> ran' })] } : say('ok')
      },
      writes: (call) => {
        if (!call.lastUserText.includes('Go')) return say('ready')
        const everybody = known.flatMap(({ name, messagingSocketPath: path }) => [
          name,
          ...(path ? [`uds:${path}`] : []),
        ])
        if (call.rounds.length === 0) return { content: [use('ListAgents', {}), ...everybody.map(write)] }
        told.push(...results(call))
        return say('done')
      },
    },
  })
  // Whatever the user's own settings say.
  await mkdir(join(real.home, '.claude'), { recursive: true })
  const generous = { crossSessionInbound: 'accept', env: { CLAUDE_CODE_HARBOR_KITE: '1' } }
  await writeFile(join(real.home, '.claude/settings.json'), JSON.stringify(generous))
  const readKnown = async () => {
    const folder = join(real.home, '.claude/sessions')
    const files = await readdir(folder)
    const texts = await Promise.all(
      files.filter((name) => name.endsWith('.json')).map((name) => readFile(join(folder, name), 'utf8')),
    )
    known.splice(0, known.length, ...texts.map((text) => JSON.parse(text)))
  }

  const remembers = await real.session('remembers', { gate: 'everything' })
  await remembers.answer(await remembers.ask(), { kind: 'allow', remember: { scope: 'session' } })
  await remembers.idle()
  const writes = await real.session('writes')
  await writes.idle()
  await readKnown()
  expect(known).toHaveLength(2)

  // A plain Claude Code of the same user, outside of the gateway.
  await using outside = await startRealClaude({
    folders: { home: real.home, cwd: real.root },
    options: { ...launch, settingSources: ['user'] },
    script: steps([use('ListAgents', {}), ...known.map(({ name }) => write(name))]),
  })
  await outside.result()
  const [listed, ...sent] = outside.toolResults().map(({ text }) => text)
  expect(listed).toContain('No reachable agents')
  expect(sent).toEqual(known.map(({ name }) => expect.stringContaining(`No agent named '${name}' is reachable`)))

  await readKnown()
  await writes.send('Go')
  await writes.idle()
  await vi.waitFor(() => expect(told).toHaveLength(5), { timeout: 10_000 })
  expect(told.filter((text) => !/No such tool|is reachable|not available in this session/.test(text))).toEqual([])

  await remembers.send('And now?')
  await vi.waitFor(() => expect(remembers.told()).toContain('And now?'), { timeout: 10_000 })
  await remembers.idle()
  expect(remembers.told()).not.toContain(WORDS)
  expect((await remembers.file('ran'))?.trim().split('\n')).toHaveLength(1)
  expect(JSON.stringify(outside.model.requests.at(-1))).not.toContain('cross-session-message')
})
