import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CanUseTool } from '@anthropic-ai/claude-agent-sdk'
import type { DiskLook } from '@holdpoint/core/disk-look'
import { DriverError } from '@holdpoint/core/driver'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InteractiveTool } from '../asks/interactive-tool.ts'
import { createInteractiveTools } from '../asks/interactive-tools.ts'
import { createToolGate, type ToolGateOptions } from './tool-gate.ts'

type Context = Parameters<CanUseTool>[2]

const outcomes = {
  allowed: { kind: 'allowed', at: 1, via: 'web', answer: { kind: 'allow' } },
  denied: { kind: 'denied', at: 1, via: 'web', answer: { kind: 'deny', message: 'no', interrupt: true } },
  expired: { kind: 'expired', at: 1, via: 'gateway' },
  withdrawn: { kind: 'withdrawn', at: 1, via: 'gateway', reason: 'interrupted' },
} satisfies Record<string, Outcome>

const FORM_SCHEMA = { type: 'object', properties: { day: { type: 'string' } } }

function gate(ask: ToolGateOptions['ask'], options: Partial<ToolGateOptions> = {}) {
  const made = createToolGate({
    gate: () => 'default',
    isTrusted: () => true,
    cwd: '/code',
    folderOf: () => '/code',
    hookRequest: () => 'r',
    interrupt: async () => {},
    onTimeout: () => 'deny',
    tools: createInteractiveTools(),
    ask,
    judge: async () => 'none',
    warn: () => {},
    notice: () => {},
    ...options,
  })
  return {
    ...made,
    use: (name: string, input: Record<string, unknown>, signal = new AbortController().signal) =>
      made.canUseTool(name, input, { signal, requestId: 'r', toolUseID: 't' } as Context),
  }
}

describe('a call at the gate', () => {
  it('runs with the stored input, whatever became of the object that it came in (I6)', async () => {
    const given = { command: 'ls' }
    const { use } = gate(async () => {
      given.command = 'rm -rf /'
      return outcomes.allowed
    })
    expect(await use('Bash', given)).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } })
  })

  it.each([
    ['denied', 'deny', 'no', true],
    ['expired', 'deny', 'Nobody answered in time. This is not a refusal: nobody was there.', undefined],
    ['expired', 'interrupt', 'Nobody answered in time. This is not a refusal: nobody was there.', true],
    ['withdrawn', 'deny', 'This ask was withdrawn before anybody answered it.', true],
  ] as const)('I4 that is %s (%s) does not run', async (kind, onTimeout, message, interrupt) => {
    const { use } = gate(async () => outcomes[kind], { onTimeout: () => onTimeout })
    expect(await use('Bash', { command: 'ls' })).toEqual({
      behavior: 'deny',
      message,
      ...(interrupt && { interrupt }),
    })
  })

  it('stops after the limit of its own kind, and one of another kind goes on', async () => {
    const onTimeout = (kind: AskRequest['kind']) => (kind === 'question' ? 'interrupt' : 'deny')
    const { use } = gate(async () => outcomes.expired, { onTimeout })
    const question = { question: 'Which?', header: 'h', multiSelect: false, options: [{ label: 'a', description: '' }] }
    expect(await use('AskUserQuestion', { questions: [question] })).toMatchObject({ interrupt: true })
    expect(await use('Bash', { command: 'ls' })).not.toHaveProperty('interrupt')
  })

  it.each(['deny', 'interrupt'] as const)(
    'a form that nobody answers is cancelled, never declined (%s)',
    async (onTimeout) => {
      let stopped = () => {}
      const interrupted = new Promise<void>((resolve) => {
        stopped = resolve
      })
      const isStopped = { value: false }
      const { onElicitation } = gate(async () => outcomes.expired, {
        onTimeout: (kind) => (kind === 'form' ? onTimeout : 'deny'),
        async interrupt() {
          isStopped.value = true
          stopped()
        },
      })
      const form = {
        serverName: 'calendar',
        message: 'Which day?',
        mode: 'form' as const,
        requestedSchema: FORM_SCHEMA,
      }
      const result = await onElicitation(form, { signal: new AbortController().signal, requestId: 'r' })
      expect(result).toEqual({ action: 'cancel' })
      if (onTimeout === 'interrupt') await interrupted
      expect(isStopped.value).toBe(onTimeout === 'interrupt')
    },
  )

  it('I4 does not run when nobody can be asked', async () => {
    const { use } = gate(() => Promise.reject(new Error('the store is full')))
    expect(await use('Bash', { command: 'ls' })).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('the store is full'),
    })
  })

  it('I4 does not run when the answer cannot be worked into it', async () => {
    const broken: InteractiveTool = {
      name: 'broken',
      kind: 'question',
      matches: () => true,
      toAsk: () => ({ title: 'Which?', questions: [{ question: 'Which?', options: [], multiSelect: false }] }),
      fromOutcome: () => {
        throw new Error('broken')
      },
    }
    const { use } = gate(async () => ({ ...outcomes.allowed, kind: 'answered' }), {
      tools: createInteractiveTools([broken]),
    })
    expect(await use('Bash', { command: 'ls' })).toMatchObject({ behavior: 'deny' })
  })

  it('asks nobody where two questions have one wording', async () => {
    const question = { question: 'Which?', header: 'h', multiSelect: false, options: [{ label: 'a', description: '' }] }
    const { use } = gate(() => Promise.reject(new Error('nobody is asked')))
    expect(await use('AskUserQuestion', { questions: [question, question] })).toMatchObject({
      message: 'Two of these questions have the same text. Ask again with distinct questions.',
    })
  })

  it.each([
    ['an answer would not reach', { question: '__proto__' }],
    ['two options are not told apart by the answer', { options: [{ label: 'a' }, { label: 'a', description: 'b' }] }],
  ])('asks nobody a question where %s', async (_, odd) => {
    const question = { question: 'Which?', header: 'h', multiSelect: false, options: [{ label: 'a' }], ...odd }
    const { use } = gate(() => Promise.reject(new Error('nobody is asked')))
    expect(await use('AskUserQuestion', { questions: [question] })).toMatchObject({
      message: expect.stringMatching(/Use other words|distinct options/),
    })
  })

  it('says nothing when we leave: the next gateway answers', async () => {
    const { use } = gate(() => Promise.reject(new DriverError('detached', 'leaving')))
    const answered = use('Bash', { command: 'ls' }).then(() => 'answered')
    const later = new Promise((resolve) => setImmediate(resolve, 'nothing'))
    expect(await Promise.race([answered, later])).toBe('nothing')
  })

  it.each([
    [true, true],
    [false, false],
  ])('that the SDK gives up is taken back: %s, when the agent did: %s', async (wasCancelledByAgent, expected) => {
    const leaving = new AbortController()
    let taken = false
    const { use } = gate(
      async (_, { signal }) => {
        leaving.abort()
        taken = signal.aborted
        return outcomes.withdrawn
      },
      { wasCancelledByAgent: () => wasCancelledByAgent },
    )
    await use('Bash', { command: 'ls' }, leaving.signal)
    expect(taken).toBe(expected)
  })

  it('T38 says with the yes to a plan in which mode to go on: the chosen one, or the one that asks', async () => {
    const modes: string[] = []
    const onPlanMode = (mode: string) => void modes.push(mode)
    const answer = { kind: 'allow', permissionMode: 'acceptEdits' }
    const plan = { plan: 'p' }
    const mode = (name: string) => ({ type: 'setMode', mode: name, destination: 'session' })
    const chosen = await gate(async () => ({ ...outcomes.allowed, answer }), { onPlanMode }).use('ExitPlanMode', plan)
    // The first step holds where Claude Code does not take the second.
    expect(chosen).toMatchObject({ behavior: 'allow', updatedPermissions: [mode('default'), mode('acceptEdits')] })
    const unsaid = await gate(async () => outcomes.allowed, { onPlanMode }).use('ExitPlanMode', plan)
    expect(unsaid).toMatchObject({ behavior: 'allow', updatedPermissions: [mode('default')] })
    const no = await gate(async () => ({ ...outcomes.denied, answer }), { onPlanMode }).use('ExitPlanMode', plan)
    const other = await gate(async () => ({ ...outcomes.allowed, answer }), { onPlanMode }).use('Bash', {
      command: 'x',
    })
    for (const result of [no, other]) expect(result).not.toHaveProperty('updatedPermissions')
    expect(modes).toEqual(['acceptEdits', 'default'])
  })
})

it('T70 a yes in the hook holds once, for that tool with that input: whatever others made of the call is asked about', async () => {
  const asked: string[] = []
  const { preToolUse, use } = gate(
    async (request) => {
      asked.push(request.title)
      return outcomes.allowed
    },
    { gate: () => 'everything' },
  )
  const signal = new AbortController().signal
  const input = { command: 'make' }
  const hooked = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 't', tool_input: input, cwd: '/code' }
  const allow = () => preToolUse(hooked as Parameters<typeof preToolUse>[0], 't', { signal })
  await allow()
  expect(await use('Bash', input)).toEqual({ behavior: 'allow', updatedInput: input })
  await allow()
  await use('PowerShell', input)
  await allow()
  await use('Bash', { command: 'make evil' })
  await allow()
  await use('Bash', { ...input, run_in_background: true })
  expect(asked.splice(0)).toEqual([
    'Bash: make',
    ...['Bash: make', 'PowerShell: make'],
    ...['Bash: make', 'Bash: make evil'],
    ...['Bash: make', 'Bash: make'],
  ])
  await allow()
  await use('Bash', input)
  await use('Bash', input)
  expect(asked).toEqual(['Bash: make', 'Bash: make'])
})

it('T22 the ask is made from the look at the disk that the verdict was made from, and the next one from a new look', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-gate-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const cwd = join(folder, 'code')
  mkdirSync(cwd)
  let judged: DiskLook | undefined
  const asked: { readonly cwd: string | undefined; readonly disk: DiskLook | undefined }[] = []
  const { preToolUse, use } = gate(
    async (request, { disk, renew }) => {
      asked.push({ cwd: request.context.cwd, disk })
      const next = await renew?.()
      if (next && 'context' in next) asked.push({ cwd: next.context.cwd, disk: undefined })
      return outcomes.allowed
    },
    {
      folderOf: () => cwd,
      async judge({ disk }) {
        judged = disk
        expect(await disk?.realPath(cwd)).toBe(cwd)
        renameSync(cwd, join(folder, 'moved'))
        symlinkSync('moved', cwd)
        return 'none'
      },
    },
  )
  const input = { command: 'make' }
  const hooked = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 't', tool_input: input, cwd }
  await preToolUse(hooked as Parameters<typeof preToolUse>[0], 't', { signal: new AbortController().signal })
  await use('Bash', input)
  expect(asked).toEqual([
    { cwd, disk: judged },
    { cwd: join(folder, 'moved'), disk: undefined },
  ])
  await use('Bash', input)
  expect(asked[2]).toEqual({ cwd: join(folder, 'moved'), disk: undefined })
})

it.each([
  ['everything', 'none', 'Every call asks in this session.'],
  ['default', 'ask', undefined],
] as const)('says that every call asks only where it does: gate %s, rules say %s', async (session, ruled, why) => {
  const asked: AskRequest[] = []
  const { preToolUse } = gate(
    async (request) => {
      asked.push(request)
      return outcomes.allowed
    },
    { gate: () => session, judge: async () => ruled },
  )
  const given = { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'make' }, cwd: '/code' }
  const hooked = { hook_event_name: 'PreToolUse', ...given } as Parameters<typeof preToolUse>[0]
  await preToolUse(hooked, 't', { signal: new AbortController().signal })
  expect(asked.map(({ decisionReason }) => decisionReason)).toEqual([why])
})

it('T70 of a call that a person edited the yes holds for the edited input', async () => {
  const edited = { command: 'make test' }
  let asked = 0
  const { preToolUse, use } = gate(
    async () => {
      asked++
      return { ...outcomes.allowed, answer: { kind: 'allow', updatedInput: edited } }
    },
    { gate: () => 'everything' },
  )
  const given = { tool_use_id: 't', tool_input: { command: 'make' }, cwd: '/code' }
  const hooked = { hook_event_name: 'PreToolUse', tool_name: 'Bash', ...given }
  const allow = () =>
    preToolUse(hooked as Parameters<typeof preToolUse>[0], 't', { signal: new AbortController().signal })
  await allow()
  expect(await use('Bash', edited)).toEqual({ behavior: 'allow', updatedInput: edited })
  expect(asked).toBe(1)
  await allow()
  await use('Bash', given.tool_input)
  expect(asked).toBe(3)
})

describe('what the agent’s own gate has refused', () => {
  const RETRY = { hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } }
  const refused = {
    hook_event_name: 'PermissionDenied',
    tool_name: 'Bash',
    tool_input: { command: 'sh run.sh' },
    tool_use_id: 't',
    reason: 'It runs an unknown script.',
    permission_mode: 'auto',
    cwd: '/code',
  }
  async function appeal(outcome: Outcome | Error, change: object = {}) {
    const asked: { request: AskRequest; mayRuleAllow: boolean | undefined }[] = []
    let stopped = 0
    const { permissionDenied } = gate(
      async (request, { mayRuleAllow }) => {
        asked.push({ request, mayRuleAllow })
        if (outcome instanceof Error) throw outcome
        return outcome
      },
      { interrupt: async () => void stopped++, onTimeout: () => 'interrupt' as const },
    )
    const input = { ...refused, ...change } as Parameters<typeof permissionDenied>[0]
    const said = await permissionDenied(input, 't', { signal: new AbortController().signal })
    await new Promise((resolve) => setImmediate(resolve))
    return { said, asked, stopped }
  }

  it('is put to people with the reason, and may be tried again after their yes', async () => {
    const { said, asked } = await appeal(outcomes.allowed)
    expect(said).toEqual(RETRY)
    expect(asked).toMatchObject([
      {
        mayRuleAllow: false,
        request: {
          requestId: 'r',
          toolUseId: 't',
          kind: 'approval',
          tool: { name: 'Bash', input: { command: 'sh run.sh' } },
          context: { command: 'sh run.sh' },
          appeal: { reason: 'It runs an unknown script.' },
          decisionReason: expect.stringContaining('It runs an unknown script.'),
        },
      },
    ])
  })

  it.each(['denied', 'expired', 'withdrawn'] as const)('I4 stays refused where it is %s', async (kind) => {
    const { said, stopped } = await appeal(outcomes[kind])
    expect(said).toEqual({})
    // A person who says so stops the agent. Time does not.
    expect(stopped).toBe(kind === 'denied' ? 1 : 0)
  })

  it('I4 stays refused when nobody can be asked', async () => {
    expect((await appeal(new Error('the store is full'))).said).toEqual({})
  })

  it.each([
    ['in plan mode, where a yes would not be heard', { permission_mode: 'plan' }],
    ['where a person answers with more than yes or no', { tool_name: 'AskUserQuestion' }],
  ])('is put to nobody %s', async (_, change) => {
    const { said, asked } = await appeal(outcomes.allowed, change)
    expect([said, asked]).toEqual([{}, []])
  })

  it('has a reason of limited length', async () => {
    const { asked } = await appeal(outcomes.allowed, { reason: 'x'.repeat(100_000) })
    expect(asked[0]?.request.appeal?.reason).toMatch(/^x{2000}… \(cut\)$/)
  })
})

describe('F38 a form of an MCP server', () => {
  const asked: AskRequest[] = []
  const notices: string[] = []
  const elicit = (request: Record<string, unknown>) => {
    asked.length = notices.length = 0
    const { onElicitation } = gate(
      async (ask) => {
        asked.push(ask)
        return { kind: 'answered', at: 1, via: 'web', answer: { kind: 'submit', content: { a: 1 } } }
      },
      { notice: (text) => void notices.push(text) },
    )
    const given = { serverName: 'tickets', message: 'Fill in', ...request } as Parameters<typeof onElicitation>[0]
    return onElicitation(given, { signal: new AbortController().signal, requestId: 'r' })
  }

  it.each(['voice', '', 'Form', null, 3])(
    'of a mode that nobody here knows is cancelled and told of: %j',
    async (mode) => {
      expect(await elicit({ mode })).toEqual({ action: 'cancel' })
      expect(asked).toEqual([])
      expect(notices).toEqual([`The MCP server tickets sent a request of an unknown kind (${mode}). It was cancelled.`])
    },
  )

  it.each([
    [undefined, 'form'],
    ['form', 'form'],
    ['url', 'url'],
  ])('of mode %s is asked as %s', async (mode, shown) => {
    expect(await elicit(mode === undefined ? {} : { mode })).toEqual({ action: 'accept', content: { a: 1 } })
    expect(asked).toMatchObject([{ kind: 'form', form: { mode: shown } }])
    expect(notices).toEqual([])
  })
})

describe('a call that a rule allows', () => {
  const byRule: Outcome = { kind: 'allowed', at: 1, via: 'rule', rules: ['rul_1'], reason: 'because' }
  const input = { command: 'git status' }

  function ruled(outcome: Outcome, mode: string, session: Partial<ToolGateOptions> = {}) {
    const asked: (boolean | undefined)[] = []
    const made = gate(
      async (_, options: { signal: AbortSignal; mayRuleAllow?: boolean }) => {
        asked.push(options.mayRuleAllow)
        return options.mayRuleAllow ? outcome : outcomes.denied
      },
      { judge: async () => 'allow', ...session },
    )
    const hooked = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_use_id: 't',
      tool_input: input,
      cwd: '/code',
    }
    const call = { ...hooked, permission_mode: mode } as Parameters<typeof made.preToolUse>[0]
    const signal = new AbortController().signal
    return {
      asked,
      hook: () => made.preToolUse(call, 't', { signal }),
      use: (context: Partial<Context> = {}) =>
        made.canUseTool('Bash', input, { signal, requestId: 'r2', toolUseID: 't', ...context } as Context),
    }
  }

  it('T65 is put to a person where the agent asks after the yes: what is stricter holds', async () => {
    const { asked, hook, use } = ruled(byRule, 'default')
    expect(await hook()).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow', updatedInput: input } })
    expect(await use()).toMatchObject({ behavior: 'deny' })
    expect(asked).toEqual([true, false])
  })

  it('is put to a person in the hook where something else than the rule wants one', async () => {
    const { asked, hook } = ruled(byRule, 'default', { gate: () => 'everything', isTrusted: () => false })
    expect(await hook()).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
    expect(asked).toEqual([false])
  })

  it('is left to the agent in plan mode, where nobody says whether its own rule wants a person', async () => {
    const { asked, hook, use } = ruled(byRule, 'plan')
    expect(await hook()).toEqual({})
    expect(await use()).toMatchObject({ behavior: 'deny' })
    expect(asked).toEqual([false])
  })

  it('says to the agent why a rule denies it', async () => {
    const { hook } = ruled({ kind: 'denied', at: 1, via: 'rule', rules: ['rul_1'], reason: 'No curl here.' }, 'default')
    expect(await hook()).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('No curl here.'),
      },
    })
  })
})

it('T34 every call is refused once the files of a trusted folder have changed, whatever became of the trust since', async () => {
  const { preToolUse } = gate(async () => outcomes.allowed, {
    isTrusted: () => false,
    watchedFiles: async () => ({ areUnchanged: false, paths: [], folders: [], names: [] }),
  })
  const call = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'ls' } }
  const given = { ...call, cwd: '/code' } as Parameters<typeof preToolUse>[0]
  const said = await preToolUse(given, 't', { signal: new AbortController().signal })
  expect(said).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
})

describe('a tool with a card of its own', () => {
  const picker: InteractiveTool = {
    name: 'picker',
    kind: 'form',
    matches: (name) => name === 'mcp__app__pick',
    toAsk: () => ({ title: 'Pick', form: { mode: 'form', server: 'app', message: 'Which?', schema: FORM_SCHEMA } }),
    fromOutcome: ({ input }) => ({ ...input }),
  }
  const plain: InteractiveTool = {
    name: 'plain',
    kind: 'approval',
    matches: (name) => name === 'mcp__app__pay',
    toAsk: () => ({ title: 'Pay' }),
  }
  const tools = createInteractiveTools([picker, plain])
  const call = (name: string, mode = 'default') =>
    ({
      hook_event_name: 'PreToolUse',
      tool_name: name,
      tool_input: {},
      tool_use_id: 't',
      permission_mode: mode,
      cwd: '/code',
    }) as unknown as Parameters<ReturnType<typeof gate>['preToolUse']>[0]

  it.each(['default', 'bypassPermissions'])('is allowed by no rule, also where every call asks (%s)', async (mode) => {
    let mayRuleAllow: boolean | undefined
    const { preToolUse } = gate(
      async (_, options) => {
        mayRuleAllow = options.mayRuleAllow
        return outcomes.allowed
      },
      { tools, gate: () => 'everything', judge: async () => 'allow' },
    )
    await preToolUse(call('mcp__app__pay', mode), 't', { signal: new AbortController().signal })
    expect(mayRuleAllow).toBe(false)
  })

  it('that a rule denies is put on record as a call, which rules judge, and not as a form', async () => {
    const kinds: string[] = []
    const { preToolUse } = gate(
      async ({ kind }) => {
        kinds.push(kind)
        return { kind: 'denied', at: 1, via: 'rule', reason: 'No.' }
      },
      { tools, judge: async () => 'deny' },
    )
    const said = await preToolUse(call('mcp__app__pick'), 't', { signal: new AbortController().signal })
    expect(kinds).toEqual(['approval'])
    expect(said).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
  })
})
