import type { SessionResult } from '@holdpoint/core/session-refusal'
import type { Device } from '@holdpoint/schema/device'
import { sessionEndpoints } from '@holdpoint/schema/endpoints/sessions'
import { ItemId } from '@holdpoint/schema/id'
import type { Session, StartSession } from '@holdpoint/schema/session'
import { actorOf } from '../auth/devices.ts'
import type { MessageDialect } from '../dialects/shared/dialect.ts'
import { findSession } from '../services/find-session.ts'
import { missingAttachment, sendMessage } from '../services/sending.ts'
import type { Services } from '../services/services.ts'
import { lightItem } from '../stream/light.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import { type RepeatableIds, repeatableIds } from '../transport/idempotency.ts'
import { LARGE_BODY, type Route, route } from '../transport/route.ts'
import { existingFolder } from '../trust/existing-folder.ts'
import { aliveSessions, sessionListRoute, withMemory } from './session-list-route.ts'

/** Characters of a thread that are read for one reply; the rest is on the next page (F58). */
const PAGE_SIZE = 4 * 1024 * 1024
/** By session, the latest call that resumed it, so that the same call is told apart from another one. */
const RESUMPTIONS = 'resumptions'
const DRAINING = refusal('not_supported', {
  message:
    'This machine takes no new sessions at the moment (it is draining). Choose another one, or end the draining.',
})

type Deps = Pick<
  Services,
  | 'ledger'
  | 'store'
  | 'ownRecords'
  | 'sessions'
  | 'attachments'
  | 'trustedFolders'
  | 'trustWatch'
  | 'keyedStarts'
  | 'clock'
  | 'conversations'
  | 'machines'
  | 'knownModels'
  | 'sessionDeletion'
> & {
  /** Makes a folder for a session that was started without one, for agents that bring their own. */
  readonly scratchFolder: (agent: string) => Promise<string | undefined>
}

export function sessionRoutes(services: Deps, messages?: MessageDialect): Route[] {
  const { sessions, store, ledger } = services

  async function machineOf(device: Device, id: string | undefined) {
    return services.machines.elsewhere(await findSession(services, device, id))
  }

  /** Runs a command on a session that can be seen, and words its result. */
  async function command<Value>(
    call: { device: Device; params: Readonly<Record<string, string>> },
    act: (session: Session) => Promise<SessionResult<Value>>,
    reply: (value: Value) => Reply,
  ): Promise<Reply> {
    const session = await findSession(services, call.device, call.params.id)
    if (!session) return refusal('not_found')
    const result = await act(session)
    return result.ok ? reply(result.value) : refusal(result.refusal, result.message ? { detail: result.message } : {})
  }

  return [
    route(sessionEndpoints.start, {
      action: 'start-session',
      machine: async ({ body, device }) =>
        body.resume ? machineOf(device, body.resume) : services.machines.other(body.node),
      bodyLimit: LARGE_BODY,
      async handle(call) {
        const { body, device } = call
        const missing = await missingAttachment(services, device, body.attachments)
        if (missing) return refusal('unknown_attachment', { attachment: missing })
        const ids = repeatableIds(call)
        return ids
          ? services.keyedStarts.once(ids.session, body, () => start(body, device, ids))
          : start(body, device, undefined)
      },
    }),
    sessionListRoute(services),
    route(sessionEndpoints.read, {
      action: 'read-sessions',
      async handle({ device, params }) {
        const session = await findSession(services, device, params.id)
        return session ? { status: 200, body: await withMemory(sessions, session) } : refusal('not_found')
      },
    }),
    route(sessionEndpoints.models, {
      action: 'start-session',
      machine: ({ query }) => services.machines.other(query.node),
      handle: async ({ query }) => ({ status: 200, body: { models: await services.knownModels.of(query.agent) } }),
    }),
    route(sessionEndpoints.items, {
      action: 'read-sessions',
      async handle({ device, params, query }) {
        const session = await findSession(services, device, params.id)
        if (!session) return refusal('not_found')
        const { before, limit } = query
        const from = before === undefined ? {} : { before }
        const page = await store.items({ sessionId: session.id, limit, ...from, size: PAGE_SIZE })
        return { status: 200, body: { ...page, items: page.items.map(lightItem) } }
      },
    }),
    route(sessionEndpoints.item, {
      action: 'read-sessions',
      async handle({ device, params }) {
        const session = await findSession(services, device, params.id)
        const id = ItemId.safeParse(params.itemId)
        const item = session && id.success ? await store.item({ sessionId: session.id, id: id.data }) : undefined
        return item ? { status: 200, body: item } : refusal('not_found')
      },
    }),
    route(messages ? messageEndpoint(messages) : sessionEndpoints.sendMessage, {
      action: 'send-message',
      bodyLimit: LARGE_BODY,
      ...(messages && { eventStream: messages.stream }),
      async handle(call) {
        const sent = await sendMessage(services, call)
        return sent.ok ? { status: 202, body: sent.value } : sent.reply
      },
    }),
    route(sessionEndpoints.cancelMessage, {
      action: 'send-message',
      handle(call) {
        const messageId = ItemId.safeParse(call.params.messageId)
        if (!messageId.success) return refusal('not_found')
        return command(
          call,
          ({ id }) => sessions.cancelMessage(id, messageId.data),
          () => ({ status: 204 }),
        )
      },
    }),
    route(sessionEndpoints.interrupt, {
      action: 'interrupt-session',
      machine: ({ params, device }) => machineOf(device, params.id),
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.interrupt(id),
          () => ({ status: 202, body: {} }),
        ),
    }),
    route(sessionEndpoints.setMode, {
      action: 'configure-session',
      machine: ({ params, device }) => machineOf(device, params.id),
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.setMode(id, call.body.permissionMode),
          (value) => ({ status: 200, body: value }),
        ),
    }),
    route(sessionEndpoints.setModel, {
      action: 'configure-session',
      machine: ({ params, device }) => machineOf(device, params.id),
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.setModel(id, call.body.model),
          (value) => ({ status: 200, body: value }),
        ),
    }),
    route(sessionEndpoints.rename, {
      action: 'tidy-session',
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.rename(id, call.body.title),
          (value) => ({ status: 200, body: value }),
        ),
    }),
    route(sessionEndpoints.archive, {
      action: 'tidy-session',
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.archive(id),
          (value) => ({ status: 200, body: value }),
        ),
    }),
    route(sessionEndpoints.unarchive, {
      action: 'tidy-session',
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.unarchive(id),
          (value) => ({ status: 200, body: value }),
        ),
    }),
    // Recorded here and kept where the agent is: no call to its machine is needed.
    route(sessionEndpoints.setBudget, {
      action: 'configure-session',
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.setBudget(id, call.body),
          (value) => ({ status: 200, body: value }),
        ),
    }),
    route(sessionEndpoints.trust, {
      action: 'trust-folder',
      machine: ({ params, device }) => machineOf(device, params.id),
      async handle(call) {
        const session = await findSession(services, call.device, call.params.id)
        const untrusted = session && (await trustFolder(session.cwd, call.device, call.query.digest))
        if (untrusted) return untrusted
        return command(
          call,
          ({ id }) => sessions.setTrusted(id, true),
          (value) => ({ status: 200, body: value }),
        )
      },
    }),
    route(sessionEndpoints.distrust, {
      action: 'trust-folder',
      machine: ({ params, device }) => machineOf(device, params.id),
      handle: (call) =>
        command(
          call,
          async (session) => {
            await services.trustedFolders.distrust(session.cwd)
            await services.trustWatch.check(session.cwd)
            return sessions.setTrusted(session.id, false)
          },
          (value) => ({ status: 200, body: value }),
        ),
    }),
    route(sessionEndpoints.end, {
      action: 'end-session',
      handle: (call) =>
        command(
          call,
          ({ id }) => sessions.end(id),
          () => ({ status: 202, body: {} }),
        ),
    }),
    route(sessionEndpoints.deleteContent, {
      action: 'delete-session',
      machine: ({ params, device }) => machineOf(device, params.id),
      handle: (call) =>
        command(
          call,
          ({ id }) => services.sessionDeletion.delete(id, actorOf(call.device)),
          (value) => ({ status: 200, body: value }),
        ),
    }),
  ]

  async function start(body: StartSession, device: Device, ids: RepeatableIds | undefined): Promise<Reply> {
    if (body.resume) return resume(body, device, ids)
    if (body.resumeTranscript !== undefined) return goOn(body, body.resumeTranscript, device, ids)
    const before = ids && (await startedBefore(ids, body))
    if (before) return before
    if (services.machines.isDraining()) return DRAINING
    if (!sessions.knows(body.agent)) return refusal('unknown_agent')
    const { cwd: wanted, trust, trustDigest, resume: _, resumeTranscript: __, node: ___, ...options } = body
    const cwd = wanted === undefined ? await services.scratchFolder(body.agent) : await existingFolder(wanted)
    if (cwd === undefined && wanted === undefined) {
      return refusal('invalid_request', { issues: ['cwd is required: the folder in which the agent works'] })
    }
    if (cwd === undefined) return refusal('unknown_folder')
    const untrusted = trust && (await trustFolder(cwd, device, trustDigest))
    if (untrusted) return untrusted
    const trusted = await services.trustedFolders.isTrusted(cwd)
    const started = await sessions.start({ ...options, cwd, trusted, ...(ids && { ids }) })
    if (!started.ok) return refusal(started.refusal)
    // Another gateway was first under this key: with the same start, or with another one.
    const first = ids && services.machines.elsewhere(started.value) ? await startedBefore(ids, body) : undefined
    if (first) return first
    await services.attachments.useIn(started.value.id, body.attachments)
    return { status: 201, body: started.value }
  }

  /** A refusal where the folder is not what was shown any more. */
  async function trustFolder(folder: string, device: Device, digest: string | undefined): Promise<Reply | undefined> {
    const message = await services.trustedFolders.trust(folder, { by: device.id, at: services.clock.now() }, digest)
    return message === undefined ? undefined : refusal('changed', { message })
  }

  /** The reply to a start that was made already, and whose reply may have been lost. */
  async function startedBefore(ids: RepeatableIds, body: StartSession): Promise<Reply | undefined> {
    const cwd = body.cwd === undefined ? undefined : await existingFolder(body.cwd)
    const before = await sessions.started(ids, { ...body, cwd })
    if (!before) return undefined
    return before.ok ? { status: 201, body: before.value } : refusal(before.refusal)
  }

  /** A conversation from elsewhere on this machine goes on as a session: the one it had here before, or a new one. */
  async function goOn(
    body: StartSession,
    vendorSessionId: string,
    device: Device,
    ids: RepeatableIds | undefined,
  ): Promise<Reply> {
    const before = ids && (await startedBefore(ids, body))
    if (before) return before
    if (!sessions.knows(body.agent)) return refusal('unknown_agent')
    if (aliveSessions(ledger).some((session) => session.vendorSessionId === vendorSessionId))
      return refusal('session_alive')
    const known = await store.endedSessionsOf(vendorSessionId)
    const folder = await services.conversations?.folderOf(vendorSessionId)
    if (folder === undefined) return refusal('not_found')
    // Two processes would write to one conversation.
    if (await services.conversations?.isOpen(vendorSessionId))
      return refusal('session_alive', { detail: 'it is open in a terminal: end it there first.' })
    // Another machine may have had the same conversation, in a copy of its file.
    const hosted = known.find(
      (session) =>
        session.agent === body.agent && !session.embedded && !session.attached && services.machines.isOurs(session),
    )
    if (hosted) return resume({ ...body, resume: hosted.id }, device, ids)
    if (services.machines.isDraining()) return DRAINING
    const cwd = await existingFolder(folder)
    if (cwd === undefined) return refusal('unknown_folder', { cwd: folder })
    const { cwd: _, trust, trustDigest, resume: __, resumeTranscript: ___, node: ____, ...options } = body
    const untrusted = trust && (await trustFolder(cwd, device, trustDigest))
    if (untrusted) return untrusted
    const trusted = await services.trustedFolders.isTrusted(cwd)
    const started = await sessions.start({ ...options, cwd, trusted, vendorSessionId, ...(ids && { ids }) })
    if (!started.ok) return refusal(started.refusal)
    await services.attachments.useIn(started.value.id, body.attachments)
    return { status: 201, body: started.value }
  }

  async function resume(body: StartSession, device: Device, ids: RepeatableIds | undefined): Promise<Reply> {
    const session = await findSession(services, device, body.resume)
    if (!session) return refusal('not_found')
    const resumption = ids && { key: ids.message, epoch: session.epoch + 1 }
    if (resumption) {
      const before = (await services.ownRecords.get(RESUMPTIONS, session.id)) as typeof resumption | undefined
      if (before?.key === resumption.key && session.epoch >= before.epoch) return { status: 201, body: session }
    }
    if ((await existingFolder(session.cwd)) === undefined) return refusal('unknown_folder', { cwd: session.cwd })
    const untrusted = body.trust && (await trustFolder(session.cwd, device, body.trustDigest))
    if (untrusted) return untrusted
    const trusted = await services.trustedFolders.isTrusted(session.cwd)
    const prompt =
      body.prompt === undefined
        ? undefined
        : { text: body.prompt, ...(body.attachments && { attachments: body.attachments }) }
    await services.attachments.useIn(session.id, body.attachments)
    // Before the fact: should the gateway die in between, the epoch tells that nothing has happened.
    if (resumption) await services.ownRecords.put(RESUMPTIONS, session.id, resumption)
    const resumed = await sessions.resume(session.id, {
      trusted,
      ...(prompt && { prompt }),
      ...(ids && { messageId: ids.message }),
    })
    if (!resumed.ok && resumption) await services.ownRecords.remove(RESUMPTIONS, session.id)
    return resumed.ok ? { status: 201, body: resumed.value } : refusal(resumed.refusal)
  }
}

/** A dialect takes other messages at the native address, and streams to clients that accept it. */
function messageEndpoint({ body, stream }: MessageDialect) {
  const { replies, ...endpoint } = sessionEndpoints.sendMessage
  return { ...endpoint, body, replies: { ...stream.replies, ...replies } }
}
