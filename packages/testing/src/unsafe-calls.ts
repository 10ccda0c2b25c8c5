import type { Channel as ChannelConfig } from '@holdpoint/schema/notification'
import type { PolicyRule } from '@holdpoint/schema/policy'
import type { TestGateway } from './test-gateway.ts'

type Kind = 'browser' | 'bearer'

/** A session with something for every route to act on, and credentials of one kind for those who may. */
export async function somethingForEveryRoute(test: TestGateway, kind: Kind) {
  const { session, agent } = await test.session({ prompt: 'go' })
  const { ask: first } = await test.openAsk(agent)
  const remembered = await test.api.answer(first, { kind: 'allow', remember: { scope: 'session' } })
  const { outcome } = remembered.body as { outcome: { rule: string } }
  const { ask } = await test.openAsk(agent, { tool: { name: 'Bash', input: { command: 'other' } } })
  const { ask: question } = await test.openAsk(agent, {
    kind: 'question',
    questions: [{ question: 'Which?', options: [{ label: 'This' }], multiSelect: false }],
  })
  const { ask: form } = await test.openAsk(agent, {
    kind: 'form',
    toolUseId: 'toolu_form',
    form: { mode: 'form', server: 'calendar', message: 'Which day?', schema: { type: 'object', properties: {} } },
  })
  const message = { text: 'hi' }
  const queued = await test.api.ok<{ messageId: string }>('POST', `/api/sessions/${session.id}/messages`, message)
  const terminal = await test.terminal()
  const owner = await test.credential({ role: 'owner' }, kind)
  const raiser = await test.credential({ role: 'raiser' }, kind)
  const { device } = await test.credential({ role: 'viewer' })
  const leaving = await test.credential({ role: 'viewer' }, kind)
  const raised = await test.gateway.broker.raise({
    sessionId: session.id,
    epoch: session.epoch,
    request: { ...ask, requestId: 'raised over the API', toolUseId: 'raised' },
    raisedBy: raiser.device,
  })
  if (!raised.ok) throw new Error(raised.refusal)
  const rule = { effect: 'ask', agent: '*', pattern: 'Bash(git push)', scope: { kind: 'everywhere' } }
  const policyRule = await test.api.ok<PolicyRule>('POST', '/api/policy/rules', rule)
  const { channel } = await test.api.ok<{ channel: ChannelConfig }>('POST', '/api/notifications/channels', CHANNEL)
  const { machines } = await test.api.ok<{ machines: { id: string; isThis: boolean }[] }>('GET', '/api/machines')
  const machineId = machines.find(({ isThis }) => !isThis)?.id ?? 'none'
  const ids = { channel, policyRule, machineId, ruleId: outcome.rule, messageId: queued.messageId }
  return { session, ask, question, form, raised: raised.ask, terminal, ...ids, device, owner, raiser, leaving }
}

export interface UnsafeCall {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Headers of a credential that may make this call. */
  readonly credential: Readonly<Record<string, string>>
}

const NOTICES = { kinds: ['ask'], content: 'names' }
const CHANNEL = {
  name: 'Hook',
  enabled: false,
  settings: NOTICES,
  target: { type: 'webhook', url: 'https://hooks.example/x', secret: `whsec_${'A'.repeat(32)}` },
}
/** At a port of this machine where nothing listens. A gateway takes it only with `notifyAllow`. */
const SUBSCRIPTION = {
  endpoint: 'https://127.0.0.1:9/push',
  keys: {
    p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    auth: 'tBHItJI5svbpez7KI4CCXg',
  },
}

/** Each route that changes something, by method and pattern, with a call that it would take. */
export function everyUnsafeCall(
  at: Awaited<ReturnType<typeof somethingForEveryRoute>>,
  cwd: string,
): Record<string, UnsafeCall> {
  const { session, ask, question } = at
  const allow = { kind: 'allow', digest: ask.digest }
  const tool = { name: 'x', input: {} }
  const raise = { requestId: 'x', kind: 'approval', title: 'x', tool, context: { cwd }, sessionId: session.id }
  const rule = { effect: 'allow', agent: '*', pattern: 'Bash(ls)', scope: { kind: 'everywhere' } }
  const inSession = `/api/sessions/${session.id}`
  const calls: Record<string, [path: string, body?: unknown]> = {
    // These first: to their clients an ask that is settled is not there.
    'POST /api/asks/:id/rules': [`/api/asks/${ask.id}/rules`, { rule: 'Bash(ls)', scope: 'session' }],
    'POST /permission/:requestId/reply': [`/permission/${ask.id}/reply`, { reply: 'allow' }],
    'POST /api/sessions': ['/api/sessions', { agent: 'synthetic', cwd }],
    'POST /api/sessions/:id/messages': [`${inSession}/messages`, { text: 'hi' }],
    'DELETE /api/sessions/:id/messages/:messageId': [`${inSession}/messages/${at.messageId}`],
    'POST /api/sessions/:id/submit-answers': [
      `${inSession}/submit-answers`,
      { toolCallId: question.toolUseId, answers: { 0: 'This' } },
    ],
    'POST /api/sessions/:id/submit-form': [`${inSession}/submit-form`, { toolCallId: at.form.toolUseId, content: {} }],
    'POST /api/sessions/:id/approve': [`${inSession}/approve`, { toolCallId: ask.toolUseId }],
    'POST /api/sessions/:id/deny': [`${inSession}/deny`, { toolCallId: ask.toolUseId, message: 'no' }],
    'POST /api/sessions/:id/interrupt': [`${inSession}/interrupt`],
    'POST /api/sessions/:id/mode': [`${inSession}/mode`, { permissionMode: 'bypassPermissions' }],
    'POST /api/sessions/:id/model': [`${inSession}/model`, { model: 'other' }],
    'POST /api/sessions/:id/title': [`${inSession}/title`, { title: 'Another title' }],
    'POST /api/sessions/:id/archive': [`${inSession}/archive`],
    'DELETE /api/sessions/:id/archive': [`${inSession}/archive`],
    'POST /api/sessions/:id/budget': [`${inSession}/budget`, { usd: 1 }],
    'POST /api/sessions/:id/trust': [`${inSession}/trust`],
    'DELETE /api/sessions/:id/trust': [`${inSession}/trust`],
    'DELETE /api/sessions/:id': [inSession],
    'POST /api/asks/:id/answer': [`/api/asks/${ask.id}/answer`, allow],
    'POST /api/asks/answer': ['/api/asks/answer', { answers: [{ id: ask.id, ...allow }] }],
    'POST /api/asks': ['/api/asks', raise],
    'POST /api/asks/:id/withdraw': [`/api/asks/${at.raised.id}/withdraw`],
    'POST /api/asks/leave': ['/api/asks/leave', { key: 'x' }],
    'POST /api/asks/:id/seen': [`/api/asks/${ask.id}/seen`],
    'POST /api/devices/:id': [`/api/devices/${at.device.id}`, { name: 'Another name' }],
    'DELETE /api/devices/:id': [`/api/devices/${at.device.id}`],
    'POST /api/logout': ['/api/logout'],
    'POST /api/tickets': ['/api/tickets', { path: '/api/stream' }],
    'POST /api/pairings': ['/api/pairings', { role: 'owner' }],
    'POST /api/attachments': ['/api/attachments', 'bytes'],
    'DELETE /api/rules/:id': [`/api/rules/${at.ruleId}`],
    'POST /api/policy/rules': ['/api/policy/rules', rule],
    'POST /api/policy/rules/:id': [`/api/policy/rules/${at.policyRule.id}`, { revision: 0, rule }],
    'DELETE /api/policy/rules/:id': [`/api/policy/rules/${at.policyRule.id}`],
    'POST /api/policy/starter': ['/api/policy/starter'],
    'POST /api/policy/starter/remove': ['/api/policy/starter/remove', { rules: [at.policyRule.id] }],
    'POST /api/policy/check': ['/api/policy/check', { rule }],
    'POST /api/policy/file/confirm': ['/api/policy/file/confirm', { digest: 'x' }],
    'POST /api/policy/import': [
      '/api/policy/import',
      { format: 'claude-code', settings: {}, scope: { kind: 'everywhere' }, apply: true },
    ],
    'POST /api/policy/dry-run': [
      '/api/policy/dry-run',
      { rule: { effect: 'allow', agent: '*', pattern: 'Bash(ls)', scope: { kind: 'everywhere' } } },
    ],
    'POST /api/policy/explain': ['/api/policy/explain', { tool: 'Bash', input: { command: 'ls' }, cwd }],
    'DELETE /api/folders/trusted': [`/api/folders/trusted?path=${encodeURIComponent(cwd)}`],
    'DELETE /api/sessions/:id/content': [`${inSession}/content`],
    'POST /api/retention': ['/api/retention', { days: 90 }],
    'DELETE /api/retention': ['/api/retention'],
    'POST /api/time-limits': ['/api/time-limits', { afterMs: 1000 }],
    'DELETE /api/time-limits': ['/api/time-limits'],
    'POST /api/notifications/device': ['/api/notifications/device', { subscription: SUBSCRIPTION, settings: NOTICES }],
    'POST /api/notifications/devices/:id/may-allow': [
      `/api/notifications/devices/${at.owner.device.id}/may-allow`,
      { mayAllow: true },
    ],
    'POST /api/notifications/test': ['/api/notifications/test', { to: at.owner.device.id }],
    'DELETE /api/notifications/device': ['/api/notifications/device'],
    'POST /api/notifications/escalations': ['/api/notifications/escalations', { escalations: [] }],
    'POST /api/notifications/channels': ['/api/notifications/channels', CHANNEL],
    'POST /api/notifications/channels/:id': [`/api/notifications/channels/${at.channel.id}`, CHANNEL],
    'DELETE /api/notifications/channels/:id': [`/api/notifications/channels/${at.channel.id}`],
    'POST /api/machines/:id': [`/api/machines/${at.machineId}`, { name: 'Another name' }],
    'POST /api/machines/:id/give-up': [`/api/machines/${at.machineId}/give-up`],
    'DELETE /api/machines/:id': [`/api/machines/${at.machineId}`],
    'POST /api/terminals': ['/api/terminals', { command: 'cat', cwd, cols: 80, rows: 24 }],
    'POST /api/terminals/access': ['/api/terminals/access'],
    'POST /api/terminals/:sessionId/conversation': [
      `/api/terminals/${at.terminal.id}/conversation`,
      { marker: 'abcdefab-cdef-abcd-efab-cdefabcdefab' },
    ],
    'POST /api/pty-input': ['/api/pty-input', { sessionID: at.terminal.id, input: 'x' }],
  }
  return Object.fromEntries(
    Object.entries(calls).map(([name, [path, body]]) => {
      const [method = ''] = name.split(' ')
      const raises = name === 'POST /api/asks' || name.endsWith('/withdraw') || name.endsWith('/leave')
      const who = raises ? at.raiser : name === 'POST /api/logout' ? at.leaving : at.owner
      return [name, { method, path, body, credential: who.headers }]
    }),
  )
}
