import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'

/** The time in all pictures. */
export const NOW = Date.UTC(2026, 0, 15, 10, 0, 0)
export const CWD = '/home/ann/code/payments-api'

export const SESSION: Session = {
  id: 'ses_01kdzzzzzzgallery0000000001',
  agent: 'claude',
  projectId: 'payments-api',
  cwd: CWD,
  title: 'Retry queue rewrite',
  state: 'assistant_turn',
  permissionMode: 'default',
  gate: 'default',
  startedAt: NOW - 900_000,
  stateChangedAt: NOW - 41_000,
  epoch: 1,
  openAsks: 1,
  queuedMessages: 0,
  onTimeout: 'deny',
  trusted: true,
}

let count = 0

function ask(kind: Ask['kind'], given: Partial<Ask>): Ask {
  count += 1
  const number = String(count).padStart(4, '0')
  const made: Ask = {
    id: `ask_01kdzzzzzzgallery000000${number}`,
    requestId: `request-${number}`,
    sessionId: SESSION.id,
    agent: 'claude',
    epoch: 1,
    digest: `sha256:${number}`,
    raisedAt: NOW - 41_000,
    kind,
    title: 'Not shown',
    context: { cwd: CWD },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: false },
    ...given,
  }
  const { tool: call, context, raisedBy } = made
  return raisedBy === undefined && call ? { ...made, display: callDisplay({ ...call, diff: context.diff }) } : made
}

/** What makes an ask one of a program over the API. */
export const RAISED = { raisedBy: 'dev_01m7hvnkz26cgjbg8w7mq3rp71', raiser: 'Nightly build' } as const

export function bash(command: string, given: Partial<Ask> = {}, input: Record<string, unknown> = {}): Ask {
  const says = input.description
  return ask('approval', {
    tool: { name: 'Bash', input: { command, ...input } },
    context: { cwd: CWD, command },
    remember: { key: command, rule: `Bash(${command})` },
    ...(typeof says === 'string' && { agentSays: says }),
    ...given,
  })
}

const OLD_DELAY = '  return 1000 * attempt'
const NEW_DELAY = '  const base = Math.min(30_000, 500 * 2 ** attempt)\n  return base / 2 + Math.random() * (base / 2)'

export function edit(diff: string, given: Partial<Ask> = {}): Ask {
  const filePath = `${CWD}/src/queue/backoff.ts`
  return ask('approval', {
    tool: {
      name: 'Edit',
      input: { file_path: filePath, old_string: OLD_DELAY, new_string: NEW_DELAY, replace_all: false },
    },
    context: { cwd: CWD, filePath, diff },
    ...given,
  })
}

export function tool(name: string, input: Record<string, unknown>, given: Partial<Ask> = {}): Ask {
  return ask('approval', {
    tool: { name, input },
    remember: { key: JSON.stringify(input), rule: `${name}(${JSON.stringify(input)})` },
    ...given,
  })
}

export function question(questions: Ask['questions'], given: Partial<Ask> = {}): Ask {
  return ask('question', { tool: { name: 'AskUserQuestion', input: { questions } }, questions, ...given })
}

export function plan(text: string, given: Partial<Ask> = {}): Ask {
  return ask('plan', { tool: { name: 'ExitPlanMode', input: { plan: text } }, plan: { text }, ...given })
}

export function form(given: NonNullable<Ask['form']>): Ask {
  return ask('form', { form: given, agentSays: given.message, flags: { defaultToNo: false, noRemember: true } })
}
