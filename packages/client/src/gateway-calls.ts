import type { Device } from '@holdpoint/schema/device'
import type { ListedRule } from '@holdpoint/schema/rule'
import { type Calls, mapped } from './calls.ts'
import type { GatewayClient } from './gateway-client.ts'
import type { Retrying } from './retrying.ts'
import type { Call } from './transport.ts'
import { wholeAsk } from './whole-ask.ts'

const PAGE = 100
const FILE_DEADLINE_MS = 300_000

/** The calls that change nothing here: what they lead to comes by the stream. */
export type GatewayCalls = Omit<
  GatewayClient,
  | 'transport'
  | 'subscribe'
  | 'getState'
  | 'reconnect'
  | 'close'
  | 'answer'
  | 'answerAll'
  | 'seen'
  | 'thread'
  | 'login'
  | 'logout'
>

export function gatewayCalls(calls: Calls, retrying: Retrying): GatewayCalls {
  const { call } = calls
  const get = <Value>(path: string) => call<Value>({ method: 'GET', path })
  const post = <Value>(path: string, body?: unknown) =>
    call<Value>({ method: 'POST', path, ...(body !== undefined && { body }) })
  /** For calls whose reply says nothing more. */
  const act = async (wanted: Call) => mapped(await call(wanted), () => undefined)

  return {
    startSession: (options) => retrying.call({ method: 'POST', path: '/api/sessions', body: options }),
    sendMessage: (sessionId, message) =>
      retrying.call({ method: 'POST', path: `/api/sessions/${sessionId}/messages`, body: message }),
    cancelMessage: (sessionId, messageId) =>
      act({ method: 'DELETE', path: `/api/sessions/${sessionId}/messages/${messageId}` }),
    interrupt: (sessionId) => act({ method: 'POST', path: `/api/sessions/${sessionId}/interrupt` }),
    endSession: (sessionId) => act({ method: 'DELETE', path: `/api/sessions/${sessionId}` }),
    setMode: (sessionId, permissionMode) =>
      act({ method: 'POST', path: `/api/sessions/${sessionId}/mode`, body: { permissionMode } }),
    setModel: (sessionId, model) => act({ method: 'POST', path: `/api/sessions/${sessionId}/model`, body: { model } }),
    setTrust: (sessionId, trusted, digest) =>
      act({
        method: trusted ? 'POST' : 'DELETE',
        path: `/api/sessions/${sessionId}/trust${digest === undefined ? '' : `?digest=${encodeURIComponent(digest)}`}`,
      }),
    upload: (file) => call({ method: 'POST', path: '/api/attachments', body: file }, FILE_DEADLINE_MS),
    attachment: (id, signal) =>
      call(
        { method: 'GET', path: `/api/attachments/${id}`, asBlob: true, ...(signal && { signal }) },
        FILE_DEADLINE_MS,
      ),
    me: () => get('/api/me'),
    folders: (path) => get(`/api/folders${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`),
    devices: async () => mapped(await get<{ devices: readonly Device[] }>('/api/devices'), ({ devices }) => devices),
    revokeDevice: (id) => act({ method: 'DELETE', path: `/api/devices/${encodeURIComponent(id)}` }),
    pair: (options) => post('/api/pairings', options),
    wholeAsk: (ask) => wholeAsk(calls, ask),
    history: (next) => get(`/api/asks?status=settled&limit=${PAGE}${next === undefined ? '' : `&next=${next}`}`),
    endedSessions: (before) =>
      get(
        `/api/sessions?state=dead&limit=${PAGE}${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`,
      ),
    wholeItem: (sessionId, id) => get(`/api/sessions/${sessionId}/items/${id}`),
    rules: async () => mapped(await get<{ rules: readonly ListedRule[] }>('/api/rules'), ({ rules }) => rules),
    removeRule: (id) => act({ method: 'DELETE', path: `/api/rules/${id}` }),
  }
}
