import type { CallInput, EndpointPath } from '@holdpoint/schema/endpoints/endpoints'
import { paths } from '@holdpoint/schema/paths'
import { type Calls, mapped } from './calls.ts'
import { callOf } from './endpoint-call.ts'
import type { GatewayClient } from './gateway-client.ts'
import { wholeAsk } from './whole-ask.ts'

const PAGE = 100
const FILE_DEADLINE_MS = 300_000
/** The gateway waits 15 seconds for the device. */
const TEST_DEADLINE_MS = 45_000

/** The calls that change nothing here: what they lead to comes by the stream. */
export type GatewayCalls = Omit<
  GatewayClient,
  | 'transport'
  | 'subscribe'
  | 'getState'
  | 'reconnect'
  | 'setInFront'
  | 'close'
  | 'answer'
  | 'answerAll'
  | 'seen'
  | 'thread'
  | 'login'
  | 'logout'
>

export function gatewayCalls(calls: Calls): GatewayCalls {
  const { call, send, retry } = calls
  /** For calls whose reply says nothing more. */
  const act = async <At extends EndpointPath>(place: At, given: CallInput<At>) =>
    mapped(await call(place, given), () => undefined)
  const {
    account,
    asks,
    attachments,
    folders,
    history,
    machines,
    notifications,
    policy,
    rules,
    sessions,
    timeLimits,
    usage,
  } = paths

  return {
    startSession: (body) => retry(sessions.start, { body }),
    sendMessage: (id, body) => retry(sessions.sendMessage, { params: { id }, body }),
    cancelMessage: (id, messageId) => act(sessions.cancelMessage, { params: { id, messageId } }),
    interrupt: (id) => act(sessions.interrupt, { params: { id } }),
    endSession: (id) => act(sessions.end, { params: { id } }),
    deleteSession: (id) => act(sessions.deleteContent, { params: { id } }),
    setMode: (id, permissionMode) => act(sessions.setMode, { params: { id }, body: { permissionMode } }),
    renameSession: (id, title) => act(sessions.rename, { params: { id }, body: { title } }),
    archiveSession: (id, archived) => act(archived ? sessions.archive : sessions.unarchive, { params: { id } }),
    setModel: (id, model) => act(sessions.setModel, { params: { id }, body: { model } }),
    setBudget: (id, body) => act(sessions.setBudget, { params: { id }, body }),
    models: async (agent, node) =>
      mapped(await call(sessions.models, { query: { agent, node } }), ({ models }) => models),
    offers: (id) => call(sessions.offers, { params: { id } }),
    files: (id, typed) => call(sessions.files, { params: { id }, query: { typed } }),
    setTrust: (id, trusted, digest) =>
      trusted ? act(sessions.trust, { params: { id }, query: { digest } }) : act(sessions.distrust, { params: { id } }),
    upload: (body) => call(attachments.upload, { body }, FILE_DEADLINE_MS),
    attachment: (id, signal) =>
      send(
        { ...callOf(attachments.read, { params: { id } }), asBlob: true, ...(signal && { signal }) },
        FILE_DEADLINE_MS,
      ),
    me: () => call(account.me, {}),
    folders: (path, node) => call(folders.read, { query: { path, node } }),
    foldersLike: (path, node) => call(folders.like, { query: { path, node } }),
    trustedFolders: async (node) =>
      mapped(await call(folders.trusted, { query: { node } }), ({ folders: trusted }) => trusted),
    distrustFolder: (path, node) => act(folders.distrust, { query: { path, node } }),
    timeLimits: () => call(timeLimits.list, {}),
    setTimeLimit: (body) => act(timeLimits.set, { body }),
    removeTimeLimit: (query) => act(timeLimits.remove, { query }),
    retention: () => call(paths.retention.list, {}),
    retentionPreview: (query) => call(paths.retention.preview, { query }),
    setRetention: (body) => act(paths.retention.set, { body }),
    removeRetention: (query) => act(paths.retention.remove, { query }),
    devices: async () => mapped(await call(account.devices, {}), ({ devices }) => devices),
    revokeDevice: (id) => act(account.revoke, { params: { id } }),
    renameDevice: (id, name) => call(account.rename, { params: { id }, body: { name } }),
    pair: (body) => call(account.pair, { body }),
    pairing: (id) => call(account.pairing, { params: { id } }),
    wholeAsk: (ask) => wholeAsk(calls, ask),
    history: (query = {}) => call(history.list, { query }),
    historyChoices: () => call(history.choices, {}),
    letThrough: (from) => call(history.letThrough, { query: { from } }),
    usage: (query) => call(usage.read, { query }),
    historyDetail: (id) => call(history.read, { params: { id } }),
    endedSessions: (query = {}) => call(sessions.list, { query: { ...query, state: 'dead', limit: PAGE } }),
    changes: (id, since) => call(sessions.changes, { params: { id }, query: { since } }),
    change: (id, since, path) => call(sessions.change, { params: { id }, query: { since, path } }),
    session: (id) => call(sessions.read, { params: { id } }),
    wholeItem: (id, itemId) => call(sessions.item, { params: { id, itemId } }),
    rules: async () => mapped(await call(rules.list, {}), ({ rules: listed }) => listed),
    removeRule: (id) => act(rules.remove, { params: { id } }),
    offeredRules: ({ id }) => call(asks.offeredRules, { params: { id } }),
    checkRuleFor: ({ id }, body) => call(asks.checkRule, { params: { id }, body }),
    policy: {
      read: (folder) => call(policy.read, { query: { folder } }),
      add: (body) => call(policy.add, { body }),
      change: (id, body) => call(policy.change, { params: { id }, body }),
      remove: (id) => act(policy.remove, { params: { id } }),
      addStarter: () => call(policy.addStarter, {}),
      removeStarter: (ids) => call(policy.removeStarter, { body: { rules: [...ids] } }),
      explain: (body) => call(policy.explain, { body }),
      check: (body) => call(policy.check, { body }),
      dryRun: (body, signal) => send({ ...callOf(policy.dryRun, { body }), signal }),
      suggestions: async () => mapped(await call(policy.suggestions, {}), ({ suggestions }) => suggestions),
    },
    notifications: {
      read: () => call(notifications.read, {}),
      subscribe: (body) => call(notifications.subscribe, { body }),
      unsubscribe: () => act(notifications.unsubscribe, {}),
      setMayAllow: (id, mayAllow) => call(notifications.setMayAllow, { params: { id }, body: { mayAllow } }),
      test: async (to) =>
        mapped(await call(notifications.test, { body: { to } }, TEST_DEADLINE_MS), ({ steps }) => steps),
      addChannel: (body) => call(notifications.addChannel, { body }),
      changeChannel: (id, body) => act(notifications.changeChannel, { params: { id }, body }),
      removeChannel: (id) => act(notifications.removeChannel, { params: { id } }),
      setEscalations: (escalations) => act(notifications.setEscalations, { body: { escalations: [...escalations] } }),
    },
    machines: {
      list: async () => mapped(await call(machines.list, {}), ({ machines: listed }) => listed),
      change: (id, body) => act(machines.change, { params: { id }, body }),
      giveUp: (id) => call(machines.giveUp, { params: { id } }),
      forget: (id) => act(machines.forget, { params: { id } }),
    },
  }
}
