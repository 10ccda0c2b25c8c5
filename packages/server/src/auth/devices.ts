import type { Clock } from '@holdpoint/core/clock'
import { type Records, StoreFault } from '@holdpoint/core/store'
import { DEVICE_NAME_LENGTH, type Device } from '@holdpoint/schema/device'
import type { DeviceId, NewId, SessionId } from '@holdpoint/schema/id'
import type { Actor, Role } from '@holdpoint/schema/outcome'
import { hashSecret, newSecret } from './secrets.ts'

export interface Grant {
  readonly role: Role
  readonly sessionIds?: readonly SessionId[]
}

interface StoredDevice extends Device {
  /** Of a token. Records of browsers that logged in with a cookie, as they once did, have it too: it opens nothing. */
  readonly secretHash?: string
  /** Of the secret that a page keeps where only pages of its own origin can read it (T64). */
  readonly pageSecretHash?: string
  /** Browsers idle out; tokens are for programs and do not. */
  readonly kind: NonNullable<Device['kind']>
}

/** What a caller shows to say who it is. The one is never taken for the other. */
export type Credential = { readonly token: string } | { readonly pageSecret: string }

const IDLE_MS = 12 * 60 * 60 * 1000
const ABSOLUTE_MS = 7 * 24 * 60 * 60 * 1000
const CODE_MS = 5 * 60 * 1000
const SAVE_EVERY_MS = 60_000
const ERASE_AGAIN_MS = 1000
const COLLECTION = 'devices'

/** The device that stands for `HOLDPOINT_TOKEN`. It is stored nowhere: it lives and dies with the environment. */
const TOKEN_DEVICE_ID: DeviceId = 'dev_00000000000000000000000000'

/**
 * When something ends: by the time of day, which counts on while the machine sleeps and the gateway is down, or by the
 * clock that nobody can set back (F28); whichever comes first.
 */
interface Life {
  readonly at: number
  readonly monotonic: number
}

/** `locked-out`: refused from now on, but still on the disk, which could not be written. It is removed there as soon as it can be. */
export type Revoked = 'revoked' | 'locked-out' | 'unknown'

export interface Devices {
  /** Who holds this secret now; re-read for every call and every answer (I8). */
  authenticate(credential: Credential): Device | undefined
  /** Whether this was the cookie of a browser that logged in while logins were cookies. */
  wasCookie(value: string): boolean
  /** Whether a device is still what it was. */
  current(id: DeviceId): Device | undefined
  /** Whether there is such a device, also one whose login has run out. One that was revoked is not known any more. */
  knows(id: DeviceId): boolean
  /** A single-use code that turns into a credential with this grant. */
  newCode(grant: Grant, by?: DeviceId): { id: string; code: string; expiresAt: number }
  /** What became of a code, by the id that it was made with; undefined once it would have expired. */
  pairing(id: string): { readonly device?: Device; readonly expiresAt: number } | undefined
  /** Trades a code for a credential; of two who try the same code one gets it. */
  redeem(
    code: string,
    as: { name: string; kind: 'browser' | 'bearer' },
  ): Promise<{ device: Device; secret: string } | undefined>
  /** As `current`, and it is in use now: a device that only listens is so as well. */
  use(id: DeviceId): Device | undefined
  list(): Device[]
  /** Undefined where there is no such device, or its name is not ours to change. */
  rename(id: DeviceId, name: string): Promise<Device | undefined>
  /** Takes effect before it returns: later answers with this credential are refused, and its streams are closed. */
  revoke(id: DeviceId): Promise<Revoked>
  onRevoked(listener: (id: DeviceId) => void): void
  /** Tries once more to remove what could not be removed. */
  close(): Promise<void>
}

export async function createDevices(deps: {
  records: Records
  clock: Pick<Clock, 'now' | 'monotonic' | 'after'>
  newId: NewId
  /** `HOLDPOINT_TOKEN`, if set. */
  token?: string
}): Promise<Devices> {
  const { now, monotonic } = deps.clock
  const byToken = new Map<string, StoredDevice>()
  const byPageSecret = new Map<string, StoredDevice>()
  const oldCookies = new Map<string, StoredDevice>()
  const byId = new Map<DeviceId, StoredDevice>()
  const codes = new Map<string, { id: string; grant: Grant; life: Life; by: DeviceId | undefined }>()
  const pairings = new Map<string, { life: Life; device?: DeviceId }>()
  const lives = new Map<DeviceId, readonly Life[]>()
  const savedAt = new Map<DeviceId, number>()
  const listeners: ((id: DeviceId) => void)[] = []
  /** Refused here, but still on the disk: a restart would bring them back. */
  const revoking = new Map<DeviceId, Device>()
  let eraseAgain: (() => void) | undefined

  for (const { value } of await deps.records.list(COLLECTION)) {
    const device = value as StoredDevice
    if (device.kind === 'browser' && device.pageSecretHash === undefined) noteOld(device)
    else remember(device)
  }
  if (deps.token !== undefined) {
    const at = now()
    remember({
      id: TOKEN_DEVICE_ID,
      name: 'HOLDPOINT_TOKEN',
      role: 'owner',
      createdAt: at,
      lastSeenAt: at,
      secretHash: hashSecret(deps.token),
      kind: 'environment',
    })
  }

  function remember(device: StoredDevice) {
    if (device.pageSecretHash !== undefined) byPageSecret.set(device.pageSecretHash, device)
    else if (device.secretHash !== undefined) byToken.set(device.secretHash, device)
    byId.set(device.id, device)
    noteLives(device)
  }

  function noteOld(device: StoredDevice) {
    if (device.secretHash !== undefined) oldCookies.set(device.secretHash, device)
    noteLives(device)
  }

  function noteLives(device: StoredDevice) {
    const [known] = lives.get(device.id) ?? []
    const absolute = known ?? (device.expiresAt === undefined ? undefined : lifeUntil(device.expiresAt, ABSOLUTE_MS))
    if (absolute) lives.set(device.id, [absolute, lifeUntil(device.lastSeenAt + IDLE_MS, IDLE_MS)])
  }

  function forget(device: StoredDevice) {
    lives.delete(device.id)
    byToken.delete(device.secretHash ?? '')
    byPageSecret.delete(device.pageSecretHash ?? '')
    byId.delete(device.id)
  }

  async function erase(id: DeviceId): Promise<Revoked> {
    try {
      const wasStored = await deps.records.remove(COLLECTION, id)
      return revoking.delete(id) || wasStored ? 'revoked' : 'unknown'
    } catch (error) {
      if (!(error instanceof StoreFault) || !revoking.has(id)) throw error
      eraseAgain ??= deps.clock.after(ERASE_AGAIN_MS, () => void eraseAll())
      return 'locked-out'
    }
  }

  async function eraseAll() {
    eraseAgain?.()
    eraseAgain = undefined
    for (const id of [...revoking.keys()]) await erase(id)
  }

  /** `most`: what a clock that was set back meanwhile cannot add to. */
  function lifeUntil(at: number, most: number): Life {
    return { at, monotonic: monotonic() + Math.min(at - now(), most) }
  }

  function isOver(life: Life): boolean {
    return life.at <= now() || life.monotonic <= monotonic()
  }

  function alive(device: StoredDevice | undefined): StoredDevice | undefined {
    return device && !lives.get(device.id)?.some(isOver) ? device : undefined
  }

  function touch(device: StoredDevice) {
    const at = now()
    const seen = { ...device, lastSeenAt: at }
    remember(seen)
    if (device.id === TOKEN_DEVICE_ID || at - (savedAt.get(device.id) ?? 0) < SAVE_EVERY_MS) return
    savedAt.set(device.id, at)
    // Only a reading: a failed write costs precision, nothing else.
    void deps.records.put(COLLECTION, device.id, seen).catch(() => {})
  }

  /** A credential that is gone must not come back through a code that it made. */
  function mayVouch({ by }: { by: DeviceId | undefined }): boolean {
    return by === undefined || alive(byId.get(by)) !== undefined
  }

  return {
    authenticate(credential) {
      const device = alive(
        'token' in credential
          ? byToken.get(hashSecret(credential.token))
          : byPageSecret.get(hashSecret(credential.pageSecret)),
      )
      if (device) touch(device)
      return device && publicDevice(device)
    },
    wasCookie: (value) => alive(oldCookies.get(hashSecret(value))) !== undefined,
    current(id) {
      const device = alive(byId.get(id))
      return device && publicDevice(device)
    },
    knows: (id) => byId.has(id),
    use(id) {
      const device = alive(byId.get(id))
      if (device) touch(device)
      return device && publicDevice(device)
    },
    newCode(grant, by) {
      for (const known of [codes, pairings]) for (const [key, { life }] of known) if (isOver(life)) known.delete(key)
      const code = newSecret()
      // Not made from the code: whoever reads it, in a log of addresses, say, gets no device.
      const id = newSecret()
      const life = lifeUntil(now() + CODE_MS, CODE_MS)
      codes.set(hashSecret(code), { id, grant, life, by })
      pairings.set(id, { life })
      return { id, code, expiresAt: life.at }
    },
    pairing(id) {
      const pairing = pairings.get(id)
      if (!pairing || isOver(pairing.life)) return undefined
      const device = pairing.device && alive(byId.get(pairing.device))
      return { expiresAt: pairing.life.at, ...(device && { device: publicDevice(device) }) }
    },
    async redeem(code, { name, kind }) {
      const hash = hashSecret(code)
      const entry = codes.get(hash)
      codes.delete(hash)
      if (!entry || isOver(entry.life) || !mayVouch(entry)) return undefined
      const at = now()
      const secret = newSecret()
      const device: StoredDevice = {
        id: deps.newId('dev'),
        name: name.slice(0, DEVICE_NAME_LENGTH),
        role: entry.grant.role,
        ...(entry.grant.sessionIds && { sessionIds: [...entry.grant.sessionIds] }),
        createdAt: at,
        lastSeenAt: at,
        ...(kind === 'browser' && { expiresAt: at + ABSOLUTE_MS }),
        ...(kind === 'browser' ? { pageSecretHash: hashSecret(secret) } : { secretHash: hashSecret(secret) }),
        kind,
      }
      await deps.records.put(COLLECTION, device.id, device)
      if (!mayVouch(entry)) {
        revoking.set(device.id, { ...publicDevice(device), revoking: true })
        await erase(device.id)
        return undefined
      }
      remember(device)
      pairings.set(entry.id, { life: entry.life, device: device.id })
      return { device: publicDevice(device), secret }
    },
    list() {
      const living = [...byId.values()].filter(alive).map(publicDevice)
      const isOfEnvironment = ({ id }: Device) => id === TOKEN_DEVICE_ID
      return [
        ...living.filter((device) => !isOfEnvironment(device)),
        ...revoking.values(),
        ...living.filter(isOfEnvironment),
      ]
    },
    async rename(id, name) {
      const device = alive(byId.get(id))
      if (!device || id === TOKEN_DEVICE_ID) return undefined
      // Memory first, and in the same turn as the write: a reading that is saved meanwhile has the new name too, and a revoke
      // that comes now removes what is written here.
      const renamed = { ...device, name }
      remember(renamed)
      try {
        await deps.records.put(COLLECTION, id, renamed)
      } catch (error) {
        const current = byId.get(id)
        if (current) remember({ ...current, name: device.name })
        throw error
      }
      return publicDevice(renamed)
    },
    async revoke(id) {
      if (id === TOKEN_DEVICE_ID) return 'unknown'
      const device = byId.get(id)
      // Memory first: from here on nothing is decided with it, whether or not the disk takes the write below.
      if (device) {
        forget(device)
        revoking.set(id, { ...publicDevice(device), revoking: true })
        for (const listener of listeners) listener(id)
      }
      return erase(id)
    },
    onRevoked: (listener) => void listeners.push(listener),
    async close() {
      await eraseAll()
      eraseAgain?.()
    },
  }
}

function publicDevice(device: StoredDevice): Device {
  const { secretHash, pageSecretHash, ...rest } = device
  return rest
}

export function actorOf(device: Device): Actor {
  return { device: device.id, name: device.name, role: device.role }
}

/** Whether a credential's scope takes in this session. */
export function sees(device: Device, sessionId: SessionId): boolean {
  return device.sessionIds?.includes(sessionId) ?? true
}
