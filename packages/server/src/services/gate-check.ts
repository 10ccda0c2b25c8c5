import { access, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { HOOK_TIMEOUT_SECONDS, hookOutput } from '@holdpoint/agents/claude/asks/gate-hook'
import { deny } from '@holdpoint/agents/claude/asks/permission-result'
import type { Sdk } from '@holdpoint/agents/claude/program/claude-program'
import { sessionSettings } from '@holdpoint/agents/claude/sdk/launch-options'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'

export interface CheckedProgram {
  readonly sdk: Sdk
  readonly executable: string
  readonly version: string
}

const CHECK_MS = 30_000

/** In the mode that asks least: a command that is refused, one that is changed, and one that others are asked about. */
const CALLS = ['touch refused', 'touch .claude/shown', 'touch asked'].map((command) => use('Bash', { command }))

/**
 * Whether the gate holds with a Claude Code that is newer than the one it was measured on: says what did not, if
 * something did not. One agent process with a model that is part of us, in a home of its own; about two seconds.
 */
export async function checkGate({ sdk, executable }: CheckedProgram): Promise<string | undefined> {
  const root = await mkdtemp(join(tmpdir(), 'holdpoint-gate-'))
  const [home, cwd] = [join(root, 'home'), join(root, 'project')]
  const model = await startDemoModel({ script: steps(CALLS) })
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), CHECK_MS)
  const heard: string[] = []
  try {
    for (const folder of [home, join(cwd, '.claude')]) await mkdir(folder, { recursive: true })
    const options: Options = {
      cwd,
      pathToClaudeCodeExecutable: executable,
      abortController: late,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      settingSources: [],
      strictMcpConfig: true,
      settings: sessionSettings({ gate: 'everything', trusted: false }),
      env: environment(home, model.url),
      async canUseTool(_, input) {
        heard.push(`asked: ${String(input.command)}`)
        return deny('no')
      },
      hooks: {
        PreToolUse: [
          {
            timeout: HOOK_TIMEOUT_SECONDS,
            onFailure: 'block',
            hooks: [
              async (input) => {
                if (input.hook_event_name !== 'PreToolUse') return {}
                const command = String((input.tool_input as { command?: unknown }).command)
                heard.push(`hook: ${command}`)
                if (command === 'touch refused') return hookOutput(deny('no'))
                if (command === 'touch asked') {
                  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }
                }
                return hookOutput({ behavior: 'allow', updatedInput: { command: 'touch handed-back' } })
              },
            ],
          },
        ],
      },
    }
    let sessionTools: readonly string[] = []
    for await (const message of sdk.query({ prompt: 'go', options })) {
      if (message.type === 'system' && message.subtype === 'init') sessionTools = message.tools
      if (message.type === 'result') break
    }
    const there = (name: string) =>
      access(join(cwd, name)).then(
        () => true,
        () => false,
      )
    if (heard.length < 4) return `it did not ask about every call (it asked about: ${heard.join(', ') || 'none'})`
    if ((await there('refused')) || (await there('asked'))) return 'a command ran although it was refused'
    if ((await there('.claude/shown')) || !(await there('handed-back')))
      return 'it ran a different input than the approved one'
    // Given to the agent where sessions can write to each other.
    if (sessionTools.includes('ListAgents')) return 'it and other sessions can send messages to each other'
    return undefined
  } catch (error) {
    return `the check did not finish (${error instanceof Error ? error.message : String(error)})`
  } finally {
    clearTimeout(timer)
    await model.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Looks once for each program: it costs seconds, and the program does not change under its version, size and date. */
export function createGateCheck(file: string, check = checkGate) {
  return async (program: CheckedProgram): Promise<string | undefined> => {
    const { size, mtimeMs } = await stat(program.executable)
    const key = `${program.version} ${size} ${mtimeMs}`
    const passed = await readFile(file, 'utf8').catch(() => '')
    if (passed.split('\n').includes(key)) return undefined
    const failure = await check(program)
    if (failure === undefined) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, `${passed}${key}\n`, { mode: 0o600 })
    }
    return failure
  }
}

/** Nothing of the person's: no key, no settings, no other traffic. */
function environment(home: string, url: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'no-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
  }
}
