/** Where every endpoint is, without its schemas: a browser loads this and no zod. */
export const paths = {
  asks: {
    list: { method: 'GET', path: '/api/asks' },
    read: { method: 'GET', path: '/api/asks/:id' },
    answer: { method: 'POST', path: '/api/asks/:id/answer' },
    answerSeveral: { method: 'POST', path: '/api/asks/answer' },
    raise: { method: 'POST', path: '/api/asks' },
    withdraw: { method: 'POST', path: '/api/asks/:id/withdraw' },
    seen: { method: 'POST', path: '/api/asks/:id/seen' },
    offeredRules: { method: 'GET', path: '/api/asks/:id/rules' },
    checkRule: { method: 'POST', path: '/api/asks/:id/rules' },
  },
  sessions: {
    start: { method: 'POST', path: '/api/sessions' },
    list: { method: 'GET', path: '/api/sessions' },
    read: { method: 'GET', path: '/api/sessions/:id' },
    items: { method: 'GET', path: '/api/sessions/:id/items' },
    item: { method: 'GET', path: '/api/sessions/:id/items/:itemId' },
    sendMessage: { method: 'POST', path: '/api/sessions/:id/messages' },
    cancelMessage: { method: 'DELETE', path: '/api/sessions/:id/messages/:messageId' },
    interrupt: { method: 'POST', path: '/api/sessions/:id/interrupt' },
    setMode: { method: 'POST', path: '/api/sessions/:id/mode' },
    setModel: { method: 'POST', path: '/api/sessions/:id/model' },
    trust: { method: 'POST', path: '/api/sessions/:id/trust' },
    distrust: { method: 'DELETE', path: '/api/sessions/:id/trust' },
    end: { method: 'DELETE', path: '/api/sessions/:id' },
  },
  /** One turn of a session as a stream, and answers by the agent's own ids. */
  turns: {
    join: { method: 'GET', path: '/api/sessions/:id/stream' },
    approve: { method: 'POST', path: '/api/sessions/:id/approve' },
    deny: { method: 'POST', path: '/api/sessions/:id/deny' },
    submitAnswers: { method: 'POST', path: '/api/sessions/:id/submit-answers' },
    submitForm: { method: 'POST', path: '/api/sessions/:id/submit-form' },
  },
  account: {
    login: { method: 'POST', path: '/api/login' },
    prove: { method: 'POST', path: '/api/proofs' },
    pass: { method: 'POST', path: '/api/passes' },
    ticket: { method: 'POST', path: '/api/tickets' },
    me: { method: 'GET', path: '/api/me' },
    logout: { method: 'POST', path: '/api/logout' },
    devices: { method: 'GET', path: '/api/devices' },
    revoke: { method: 'DELETE', path: '/api/devices/:id' },
    pair: { method: 'POST', path: '/api/pairings' },
  },
  folders: {
    read: { method: 'GET', path: '/api/folders' },
  },
  attachments: {
    upload: { method: 'POST', path: '/api/attachments' },
    read: { method: 'GET', path: '/api/attachments/:id' },
  },
  terminals: {
    start: { method: 'POST', path: '/api/terminals' },
    input: { method: 'POST', path: '/api/pty-input' },
    conversation: { method: 'GET', path: '/api/terminals/:sessionId/conversation' },
    findConversation: { method: 'POST', path: '/api/terminals/:sessionId/conversation' },
    renewAccess: { method: 'POST', path: '/api/terminals/access' },
  },
  transcripts: {
    list: { method: 'GET', path: '/api/transcripts' },
    items: { method: 'GET', path: '/api/transcripts/:id/items' },
  },
  rules: {
    list: { method: 'GET', path: '/api/rules' },
    remove: { method: 'DELETE', path: '/api/rules/:id' },
  },
  policy: {
    read: { method: 'GET', path: '/api/policy' },
    add: { method: 'POST', path: '/api/policy/rules' },
    change: { method: 'POST', path: '/api/policy/rules/:id' },
    remove: { method: 'DELETE', path: '/api/policy/rules/:id' },
    addStarter: { method: 'POST', path: '/api/policy/starter' },
    explain: { method: 'POST', path: '/api/policy/explain' },
    check: { method: 'POST', path: '/api/policy/check' },
  },
  system: {
    health: { method: 'GET', path: '/api/health' },
    status: { method: 'GET', path: '/api/status' },
    description: { method: 'GET', path: '/api/openapi.json' },
    metrics: { method: 'GET', path: '/metrics' },
    events: { method: 'GET', path: '/api/events' },
  },
} as const

/** Addresses of WebSockets. */
export const socketPaths = {
  stream: '/api/stream',
  terminal: '/api/terminals/:sessionId',
} as const
