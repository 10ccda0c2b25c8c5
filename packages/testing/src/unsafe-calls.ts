import type { TestGateway } from './test-gateway.ts'

/** A session with something for every route to act on. */
export async function somethingForEveryRoute(test: TestGateway) {
  const { session, agent } = await test.session({ prompt: 'go' })
  const { ask: first } = await test.openAsk(agent)
  const remembered = await test.api.answer(first, { kind: 'allow', remember: { scope: 'session' } })
  const { outcome } = remembered.body as { outcome: { rule: string } }
  const { ask } = await test.openAsk(agent, { tool: { name: 'Bash', input: { command: 'other' } } })
  const queued = await test.api.ok<{ messageId: string }>('POST', `/api/sessions/${session.id}/messages`, {
    text: 'hi',
  })
  const { device } = await test.credential({ role: 'viewer' })
  return { session, ask, ruleId: outcome.rule, messageId: queued.messageId, deviceId: device.id }
}

/** Each route that changes something, by method and pattern, with a path and a body that it would take. */
export function everyUnsafeCall(
  at: Awaited<ReturnType<typeof somethingForEveryRoute>>,
  cwd: string,
): Record<string, [path: string, body?: unknown]> {
  const { session, ask } = at
  const allow = { kind: 'allow', digest: ask.digest }
  const raised = { requestId: 'x', kind: 'approval', title: 'x', context: { cwd }, sessionId: session.id }
  return {
    'POST /api/sessions': ['/api/sessions', { agent: 'synthetic', cwd }],
    'POST /api/sessions/:id/messages': [`/api/sessions/${session.id}/messages`, { text: 'hi' }],
    'DELETE /api/sessions/:id/messages/:messageId': [`/api/sessions/${session.id}/messages/${at.messageId}`],
    'POST /api/sessions/:id/interrupt': [`/api/sessions/${session.id}/interrupt`],
    'POST /api/sessions/:id/mode': [`/api/sessions/${session.id}/mode`, { permissionMode: 'bypassPermissions' }],
    'POST /api/sessions/:id/model': [`/api/sessions/${session.id}/model`, { model: 'other' }],
    'POST /api/sessions/:id/trust': [`/api/sessions/${session.id}/trust`],
    'DELETE /api/sessions/:id/trust': [`/api/sessions/${session.id}/trust`],
    'DELETE /api/sessions/:id': [`/api/sessions/${session.id}`],
    'POST /api/asks/:id/answer': [`/api/asks/${ask.id}/answer`, allow],
    'POST /api/asks/answer': ['/api/asks/answer', { answers: [{ id: ask.id, ...allow }] }],
    'POST /api/asks': ['/api/asks', raised],
    'POST /api/asks/:id/withdraw': [`/api/asks/${ask.id}/withdraw`],
    'POST /api/asks/:id/seen': [`/api/asks/${ask.id}/seen`],
    'DELETE /api/devices/:id': [`/api/devices/${at.deviceId}`],
    'POST /api/pairings': ['/api/pairings', { role: 'owner' }],
    'POST /api/attachments': ['/api/attachments', 'bytes'],
    'DELETE /api/rules/:id': [`/api/rules/${at.ruleId}`],
  }
}
