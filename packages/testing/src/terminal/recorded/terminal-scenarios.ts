import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { projectFolderName } from '@holdpoint/agents/claude/transcript/project-folder'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import { ask, planSteps, singleQuestion, steps } from '@holdpoint/demo-model/scenarios'
import { type Script, use } from '@holdpoint/demo-model/script'
import { claudeEnvironment, type Folders } from '../../real-claude.ts'
import { until } from '../../until.ts'
import { prompt, type ScreenTerminal, startClaudeTui } from '../claude-tui.ts'
import type { LiveRecord } from './recorded.ts'

const HELD_MS = 1300

export interface TerminalScenario {
  readonly script: Script
  readonly args?: readonly string[]
  /** Answers at the terminal what it asks, one after another. */
  readonly answers: readonly ((terminal: ScreenTerminal) => Promise<void>)[]
  /** What the screen shows when it is over. */
  readonly end: string | RegExp
}

const bash = (command: string) => use('Bash', { command, description: 'A command' })

/** When this is on the screen, a person looks at it for a while and then types. */
function typed(shown: string | RegExp, ...keys: readonly string[]) {
  return async (terminal: ScreenTerminal) => {
    await terminal.waitFor(shown)
    await pause(HELD_MS)
    for (const key of keys) {
      terminal.type(key)
      await pause(300)
    }
  }
}

const proceed = 'Do you want to proceed?'

export const terminalScenarios: Readonly<Record<string, TerminalScenario>> = {
  'terminal-allowed': {
    script: steps([bash('touch a')]),
    answers: [typed(proceed, '1')],
    end: '● done',
  },
  'terminal-denied': {
    script: steps([bash('touch a')]),
    answers: [typed(proceed, '\u001b')],
    end: 'Interrupted',
  },
  'terminal-denied-with-words': {
    script: steps([bash('touch a')], 'Then not.'),
    // Down to the last option, and from there to the words.
    answers: [typed(proceed, '\u001b[B', '\u001b[B', '\u001b[B', '\t', 'use b instead', '\r')],
    end: 'Then not.',
  },
  'terminal-question': {
    script: steps([ask(singleQuestion)]),
    answers: [typed('Which layout', '\r')],
    end: '● done',
  },
  'terminal-plan': {
    script: steps(planSteps('# Plan\n\n1. one\n')),
    answers: [typed('Would you like to proceed?', '2')],
    end: '● done',
  },
}

/** What the terminal asked is known from the script: every call in it whose answer is typed. */
export async function recordTerminal(scenario: TerminalScenario, { home, cwd }: Folders): Promise<LiveRecord> {
  const model = await startDemoModel({ script: scenario.script })
  const asks: { toolUseId: string; name: string; heldMs: number }[] = []
  try {
    await using terminal = await startClaudeTui({
      env: claudeEnvironment({ home, url: model.url }),
      cwd,
      ...(scenario.args && { args: scenario.args }),
    })
    await prompt(terminal, 'go')
    for (const answer of scenario.answers) {
      await answer(terminal)
      asks.push({ ...(await lastCall(home, cwd)), heldMs: HELD_MS })
    }
    await terminal.waitFor(scenario.end)
    // It writes the last lines a moment later.
    await pause(1000)
  } finally {
    await model.close()
  }
  return { asks }
}

async function lastCall(home: string, cwd: string): Promise<{ toolUseId: string; name: string }> {
  const folder = join(home, '.claude', 'projects', projectFolderName(cwd))
  return until(async () => {
    const [file = ''] = await readdir(folder).catch(() => [])
    const text = await readFile(join(folder, file), 'utf8').catch(() => '')
    const found = [...text.matchAll(/"type":"tool_use","id":"(\w+)","name":"(\w+)"/g)].at(-1)
    return found && { toolUseId: found[1] ?? '', name: found[2] ?? '' }
  }, 'the call in the transcript')
}
