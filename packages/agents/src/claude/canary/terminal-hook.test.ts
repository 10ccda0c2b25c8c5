import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps } from '@holdpoint/demo-model/scenarios'
import { claudeEnvironment } from '@holdpoint/testing/real-claude'
import { prompt, startClaudeTui } from '@holdpoint/testing/terminal/claude-tui'
import { until } from '@holdpoint/testing/until'
import { describe, expect, test } from 'vitest'
import { canary, touch } from './facts.ts'

canary()

const DIALOG = 'Do you want to proceed?'
const say = (permissionDecision: string) =>
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason: 'as the hook says',
    },
  })

/** What the hook before a call does, by the name of the file that the call makes. */
const HOOK = `#!/bin/sh
case $(cat) in
  *'touch empty'*) echo '{}' ;;
  *'touch silent'*) ;;
  *'touch failed'*) exit 1 ;;
  *'touch killed'*) kill -9 $$ ;;
  *'touch two'*) exit 2 ;;
  *'touch odd'*) echo '${say('maybe')}' ;;
  *'touch denied'*) echo '${say('deny')}' ;;
  *asked*) echo '${say('ask')}' ;;
esac
`

/** The real Claude Code in a terminal with this hook, as "holdpoint attach" would install it. */
async function startTerminal(mode: string, names: readonly string[]) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hp-canary-')))
  const [home, cwd, script] = [join(root, 'home'), join(root, 'project'), join(root, 'hook.sh')]
  await Promise.all([mkdir(home), mkdir(join(cwd, '.claude'), { recursive: true })])
  await writeFile(script, HOOK, { mode: 0o755 })
  const model = await startDemoModel({ script: steps(names.map(touch)) })
  const hook = { type: 'command', command: script, timeout: 2_592_000, onFailure: 'block' }
  const settings = {
    skipDangerousModePermissionPrompt: true,
    hooks: { PreToolUse: [{ matcher: '*', hooks: [hook] }] },
  }
  const env = claudeEnvironment({ home, url: model.url })
  const terminal = await startClaudeTui({ env, cwd, settings, args: ['--permission-mode', mode] })
  await prompt(terminal, 'please begin')
  return {
    terminal,
    files: async () => (await readdir(cwd, { recursive: true })).filter((name) => name !== '.claude').sort(),
    told: () => JSON.stringify(model.requests.at(-1)?.messages),
    async [Symbol.asyncDispose]() {
      await terminal.close()
      await model.close()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

describe.concurrent('a command hook before each call, in a terminal', () => {
  test('[T65] {} leaves the call to the agent’s own gate, with a time limit of a month', async () => {
    await using world = await startTerminal('default', ['empty'])
    await world.terminal.waitFor(DIALOG)
    expect(await world.files()).toEqual([])
  })

  test('[T37] [T70] with onFailure it blocks where it fails, but not where it says nothing; its ask is not heard in bypassPermissions for guarded files', async () => {
    const names = ['empty', 'silent', 'failed', 'killed', 'two', 'odd', 'denied', '.claude/asked', 'asked']
    await using world = await startTerminal('bypassPermissions', names)
    await world.terminal.waitFor(DIALOG)
    await until(() => world.terminal.screen().includes('touch asked'), 'the dialog of the last one')
    expect(await world.files()).toEqual(['.claude/asked', 'empty', 'silent'])
    expect(world.told()).toContain('as the hook says')
  })
})
