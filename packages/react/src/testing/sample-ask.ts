import type { Ask } from '@holdpoint/schema/ask'

/** An open approval for tests, with what the test is about in its place. */
export function sampleAsk(given: Partial<Ask> = {}): Ask {
  return {
    id: 'ask_1',
    digest: 'd1',
    requestId: 'request-1',
    sessionId: 'ses_1',
    agent: 'claude',
    epoch: 1,
    raisedAt: 0,
    kind: 'approval',
    title: 'Bash: ls',
    tool: { name: 'Bash', input: { command: 'ls' } },
    context: { cwd: '/w', command: 'ls' },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: false },
    ...given,
  }
}
