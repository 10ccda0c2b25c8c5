import type { Ask } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import { isPermission, permissionRequestOf } from './permission-request.ts'

function askWith(given: Partial<Ask>): Ask {
  return {
    id: 'ask_1',
    digest: 'd1',
    requestId: 'request-1',
    sessionId: 'ses_1',
    agent: 'claude',
    epoch: 1,
    raisedAt: 1_700_000_000_000,
    kind: 'approval',
    title: 'Bash: npm test',
    tool: { name: 'Bash', input: { command: 'npm test', description: 'Runs the tests' } },
    agentSays: 'Runs the tests',
    context: { cwd: '/w', command: 'npm test' },
    remember: { key: '{"command":"npm test"}', rule: 'Bash(npm test) in /w' },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: false },
    ...given,
  }
}

describe('a permission request', () => {
  it('carries what the permission protocol says of a command', () => {
    expect(permissionRequestOf(askWith({ toolUseId: 'toolu_1' }))).toEqual({
      id: 'ask_1',
      sessionId: 'ses_1',
      messageId: 'toolu_1',
      tool: 'Bash',
      permission: 'bash',
      input: { command: 'npm test', description: 'Runs the tests' },
      patterns: ['npm test'],
      metadata: { cwd: '/w', description: 'Runs the tests', command: 'npm test', rule: 'Bash(npm test) in /w' },
      suggestions: [],
      createdAt: 1_700_000_000_000,
    })
  })

  it('names the request where the agent gave no id of its call', () => {
    expect(permissionRequestOf(askWith({})).messageId).toBe('request-1')
  })

  it('T27 takes nothing of what a program said to belong to a call of the agent', () => {
    const suggestions = [{ type: 'addRules', rules: [{ toolName: 'Bash' }] }]
    const said = { toolUseId: 'toolu_1', subagent: 'agent-1', subagentName: 'Explorer', suggestions }
    const request = permissionRequestOf(askWith({ ...said, raisedBy: 'dev_ci', raiser: 'CI' }))
    expect(request).toMatchObject({ messageId: 'ask_1', suggestions: [], metadata: { raiser: 'CI' } })
    expect(request.metadata).not.toHaveProperty('subagent')
  })

  it('says of a call that the agent has refused itself why it did, and offers nothing to remember', () => {
    const appeal = { reason: 'It runs an unknown script.' }
    const request = permissionRequestOf(askWith({ appeal, remember: { key: 'k', rule: 'r' } }))
    expect(request).toMatchObject({ patterns: [], metadata: { appeal } })
    expect(request.metadata).not.toHaveProperty('rule')
  })

  it('has path and diff of a change to a file, address and words of a look at the web', () => {
    const { metadata } = permissionRequestOf(
      askWith({
        context: { cwd: '/w', filePath: '/w/a.ts', diff: '--- a\n+++ b\n', url: 'https://a.example', query: 'q' },
      }),
    )
    expect(metadata).toMatchObject({
      filePath: '/w/a.ts',
      diff: '--- a\n+++ b\n',
      url: 'https://a.example',
      query: 'q',
    })
  })

  it.each([
    ['the agent forbids it', { flags: { defaultToNo: false, noRemember: true } }],
    ['it opens on No', { flags: { defaultToNo: true, noRemember: false } }],
    ["the person's own settings ask", { matchedAskRule: { rule: 'Bash' } }],
    ['there is nothing to remember', { remember: undefined }],
  ])('has no patterns where always would not be remembered: %s', (_, given) => {
    expect(permissionRequestOf(askWith(given as Partial<Ask>)).patterns).toEqual([])
  })

  it('shows a plan as an approval of ExitPlanMode, which cannot be remembered', () => {
    const input = { plan: '# Do it', planFilePath: '/p.md' }
    const plan = askWith({ kind: 'plan', tool: { name: 'ExitPlanMode', input }, plan: { text: '# Do it' } })
    expect(permissionRequestOf(plan)).toMatchObject({
      tool: 'ExitPlanMode',
      permission: 'exitplanmode',
      input,
      patterns: [],
    })
  })

  it.each([
    ['that keeps it in a file', { name: 'ExitPlanMode', input: { planFilePath: '/p.md' } }],
    ['that gives no input', { name: 'ExitPlanMode', input: {} }],
    ['without a name', undefined],
  ])('[I2] shows the text of the plan also for a tool %s', (_, tool) => {
    const { input } = permissionRequestOf(askWith({ kind: 'plan', tool, plan: { text: '# Do it' } }))
    expect(input).toEqual({ ...tool?.input, plan: '# Do it' })
  })

  it('[I2] shows the text of a plan beside a field of the tool’s own that has its name', () => {
    const shown = (name: string, input: Record<string, unknown>) =>
      permissionRequestOf(askWith({ kind: 'plan', tool: { name, input }, plan: { text: '# Do it' } })).input
    const own = { plan: 'rm -rf /srv', plan_text: 'more' }
    expect(shown('mcp__ops__deploy', own)).toEqual({ ...own, plan_text_text: '# Do it' })
    expect(shown('mcp__ops__deploy', { plan: '# Do it' })).toEqual({ plan: '# Do it' })
    // What the file holds is handed on, whatever the input says.
    expect(shown('ExitPlanMode', { plan: '# Old' })).toEqual({ plan: '# Do it' })
  })

  it('words the suggestions it knows and leaves out the rest', () => {
    const suggestions = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm:*' }],
        behavior: 'allow',
        destination: 'session',
      },
      { type: 'addRules', rules: [{ toolName: 'Read' }, { odd: 1 }, null], behavior: 'deny' },
      { type: 'addDirectories', directories: ['/tmp', 7], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'addRules', rules: 'all' },
      null,
      'text',
    ]
    expect(permissionRequestOf(askWith({ suggestions })).suggestions).toEqual([
      { type: 'addRules', patterns: ['Bash(npm:*)'], description: 'Always allow Bash(npm:*) (session)' },
      { type: 'addRules', patterns: ['Read'], description: 'Always deny Read' },
      { type: 'addDirectories', patterns: ['/tmp'], description: 'Work in /tmp too (session)' },
    ])
  })

  it('is made of approvals and plans, never of questions and forms', () => {
    const kinds = (['approval', 'plan', 'question', 'form'] as const).map((kind) => isPermission(askWith({ kind })))
    expect(kinds).toEqual([true, true, false, false])
  })
})
