import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import { inTime } from '@holdpoint/agents/claude/asks/in-time'
import { createInteractiveTools } from '@holdpoint/agents/claude/asks/interactive-tools'
import { whatChanged } from '@holdpoint/agents/claude/asks/what-changed'
import { createDirectTransport } from '@holdpoint/client/direct-transport'
import type { Store } from '@holdpoint/core/store'
import { idMaker } from '@holdpoint/schema/id'
import { createGateway, type Gateway } from '@holdpoint/server/gateway'
import { guardedFiles } from '@holdpoint/server/policy/guarded-files'
import { mayLogInAt } from '@holdpoint/server/system/addresses'
import { refuseBind } from '@holdpoint/server/system/bind-check'
import { createLog, type Log } from '@holdpoint/server/system/log'
import { pooledRandomBytes } from '@holdpoint/server/system/pooled-random'
import { VERSION } from '@holdpoint/server/system/version'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { createEmbeddedSession } from './embedded-session.ts'
import {
  type EmbeddedSession,
  EmbedError,
  type Holdpoint,
  type HoldpointOptions,
  type ListenAt,
  type Listening,
} from './holdpoint.ts'
import { ownDevice } from './own-device.ts'
import { whenEnded } from './when-ended.ts'

const DEFAULT_PORT = 4680
const MIN_TOKEN = 32
const LIMITS = { connectionsPerBrowser: 32, connectionsPerToken: 2000 }
/** In the package, this is part of a bundle that stands beside our other programs. */
const PROGRAMS = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
/** In the package it stands beside that bundle. */
const WEB_FOLDER = fileURLToPath(new URL('./web', import.meta.url))

/**
 * Durable asks for agents that run in this program: the folder's lock, the store and the broker, and no port. Sessions
 * of a program that went without closing are ended before this resolves, and their open asks withdrawn.
 */
export async function createHoldpoint(options: HoldpointOptions): Promise<Holdpoint> {
  checkToken(options.token)
  const dataDir = resolve(options.data)
  const log = createLog({
    level: options.logLevel ?? 'warn',
    write: (line) => process.stderr.write(line),
    now: Date.now,
  })
  const lock = await lockDataFolder(dataDir)
  let store: Store | undefined
  let gateway: Gateway | undefined
  try {
    store = await openSqliteStore({ path: join(dataDir, 'holdpoint.db'), lock })
    const left = await leftSessions(store, dataDir)
    gateway = await createGateway({
      dataDir,
      ...(options.token !== undefined && { token: options.token }),
      // How long its agent may wait for the next prompt is for the program to say.
      idleMs: Number.POSITIVE_INFINITY,
      limits: LIMITS,
      log,
      store,
      lost: lock.lost,
      whatChanged,
      drivers: () => [],
      actionOf: callAction,
      guarded: guardedFiles(process.env, PROGRAMS),
    })
    gateway.resume()
    const { ledger, devices } = gateway
    await Promise.all(left.map((id) => whenEnded(ledger, id)))
    const deviceId = await ownDevice({ store, devices })
    return embedding({ options, gateway, deviceId, lock, store, log })
  } catch (error) {
    await gateway?.close()
    await store?.close()
    await lock.release()
    throw error
  }
}

interface Parts {
  readonly options: HoldpointOptions
  readonly gateway: Gateway
  readonly deviceId: Awaited<ReturnType<typeof ownDevice>>
  readonly lock: Awaited<ReturnType<typeof lockDataFolder>>
  readonly store: Store
  readonly log: Log
}

function embedding({ options, gateway, deviceId, lock, store, log }: Parts): Holdpoint {
  const tools = createInteractiveTools(options.interactiveTools, log.warn)
  const newId = idMaker({ now: Date.now, randomBytes: pooledRandomBytes() })
  // One for all: it listens to the devices for as long as they live.
  const endpoint = gateway.direct(deviceId)
  const open = new Set<EmbeddedSession>()
  let isListening = false
  let closing: Promise<void> | undefined

  function refuseClosed() {
    if (closing) throw new EmbedError('closed', 'This Holdpoint was closed.')
  }

  async function listen(at: ListenAt = {}): Promise<Listening> {
    refuseClosed()
    const { host = '127.0.0.1', port = DEFAULT_PORT, tls, publicUrl } = at
    if (refuseBind({ host, hasTls: tls !== undefined, ...(publicUrl && { publicUrl }) }) !== undefined)
      throw new EmbedError(
        'open-address',
        `${host} can be reached from other machines: give tls, or a publicUrl with https in front of it.`,
      )
    if (publicUrl !== undefined && !mayLogInAt(publicUrl))
      throw new EmbedError(
        'open-address',
        `${publicUrl}: another program could answer to this name. Give a publicUrl with https, or with an address such as http://127.0.0.1:4680.`,
      )
    const webFolder = options.webFolder ?? WEB_FOLDER
    const listening = gateway.listen({
      host,
      port,
      webFolder,
      holdsProcess: false,
      ...(tls && { tls: { cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) } }),
      ...(publicUrl && { publicUrl }),
    })
    const url = await listening.finally(refuseClosed)
    isListening = true
    lock.describe({ url, version: VERSION })
    return { url, loginLink: gateway.loginLink() }
  }

  async function shutDown() {
    process.off('beforeExit', onExit)
    // Nothing else may be left that keeps the process here until this is done.
    const stay = setInterval(() => {}, 1000)
    try {
      // A store that takes nothing any more must not keep the program from ending: the next start ends them then.
      await inTime(Promise.all([...open].map((session) => session.end())), 'the store').catch((error: unknown) =>
        log.warn('sessions_not_ended', { error: String(error) }),
      )
      // Nobody is sent to an address that soon may be somebody else's (T64).
      lock.describe({ version: VERSION })
      await gateway.close()
      await store.close()
      await lock.release()
    } finally {
      clearInterval(stay)
    }
  }

  function close(): Promise<void> {
    closing ??= shutDown()
    return closing
  }

  function onExit() {
    close().catch((error: unknown) => log.error('close_failed', { error: String(error) }))
  }
  process.once('beforeExit', onExit)

  return {
    session(wanted) {
      refuseClosed()
      const session = createEmbeddedSession({ gateway, log, tools, newId }, wanted)
      open.add(session)
      session.ready
        .then(() => whenEnded(gateway.ledger, session.id))
        .catch(() => {})
        .finally(() => open.delete(session))
      return session
    },
    transport: () => createDirectTransport(endpoint),
    listen,
    loginLink() {
      if (!isListening) throw new EmbedError('not-listening', 'There is no link before listen() has resolved.')
      return gateway.loginLink()
    },
    close,
  }
}

/** The sessions of a program that is gone. A folder with agents that Holdpoint runs itself is not for us. */
async function leftSessions(store: Store, dataDir: string) {
  const live = (await store.liveSessions()).map(({ session }) => session)
  const hosted = live.filter((session) => !session.embedded)
  if (hosted.length > 0)
    throw new EmbedError(
      'hosted-sessions',
      `${dataDir} holds ${hosted.length} sessions of agents that "holdpoint start" runs. Choose another folder, or end them there first.`,
    )
  return live.map(({ id }) => id)
}

function checkToken(token: string | undefined) {
  if (token !== undefined && (token.length < MIN_TOKEN || /\s/.test(token)))
    throw new EmbedError('bad-token', `A token has at least ${MIN_TOKEN} characters, and no spaces.`)
}
