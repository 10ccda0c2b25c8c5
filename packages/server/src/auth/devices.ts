import type { Clock } from '@holdpoint/core/clock'
import { StoreFault } from '@holdpoint/core/store'
import { DEVICE_NAME_LENGTH, type Device } from '@holdpoint/schema/device'
import type { DeviceId, NewId, SessionId } from '@holdpoint/schema/id'
import type { Actor, Role } from '@holdpoint/schema/outcome'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords, type RecordNow } from '../cluster/kept-records.ts'
import { createLoginCodes, type NewCode } from './login-codes.ts'
import { hashSecret, newSecret } from './secrets.ts'

export interface Grant {
  readonly role: Role
  readonly sessionIds?: readonly SessionId[]
}

interface NewDevice {
  readonly name: string
  readonly kind: 'browser' | 'bearer'
}

interface Redeemed {
  readonly device: Device
  readonly secret: string
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
const SAVE_EVERY_MS = 60_000
const ERASE_AGAIN_MS = 1000
/** Each is put once and removed once: what is written of a device later must not bring back one that was revoked meanwhile. */
const COLLECTION = 'devices'
/** By device: the name that a person gave it, and when it was last used. */
const NAMES = 'device-names'
const SEEN = 'device-uses'

/**
 * The device that stands for `HOLDPOINT_TOKEN`. It is stored nowhere: it lives and dies with the environment. Each gateway's
 * token opens that gateway alone; what its holder does there counts at all of them.
 */
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
  /** Looks on record whether it was revoked at another gateway: what was heard of that may lag. */
  refresh(id: DeviceId): Promise<void>
  /** Whether there is such a device, also one whose login has run out. One that was revoked is not known any more. */
  knows(id: DeviceId): boolean
  /** A single-use code that turns into a credential with this grant. */
  newCode(grant: Grant, by?: DeviceId): NewCode
  /** What became of a code, by the id that it was made with; undefined once it would have expired. */
  pairing(id: string): Promise<{ readonly device?: Device; readonly expiresAt: number } | undefined>
  /** Trades a code for a credential; of two who try the same code one gets it. */
  redeem(code: string, as: NewDevice): Promise<Redeemed | undefined>
  /** A credential for a program of our own, without a code. */
  add(grant: Grant, as: NewDevice): Promise<Redeemed>
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
  records: FollowedRecords
  clock: Pick<Clock, 'now' | 'monotonic' | 'after'>
  newId: NewId
  /** `HOLDPOINT_TOKEN`, if set. */
  token?: string
}): Promise<Devices> {
  const { records, clock, token } = deps
  const { now, monotonic } = clock
  const isShared = records.follow !== undefined
  const byToken = new Map<string, StoredDevice>()
  const byPageSecret = new Map<string, StoredDevice>()
  const oldCookies = new Map<string, StoredDevice>()
  const byId = new Map<DeviceId, StoredDevice>()
  const names = new Map<string, string>()
  const seenAt = new Map<string, number>()
  const lives = new Map<DeviceId, readonly Life[]>()
  const savedAt = new Map<DeviceId, number>()
  const listeners: ((id: DeviceId) => void)[] = []
  /** Refused here, but still on the disk: a restart would bring them back. */
  const revoking = new Map<DeviceId, Device>()
  let eraseAgain: (() => void) | undefined
  const codes = createLoginCodes({ records: isShared ? records : createMemoryStore().records, clock })

  const keptNames = await keepRecords(records, NAMES, (now) => {
    for (const { key, value } of now) {
      if (typeof value === 'string') names.set(key, value)
      else names.delete(key)
    }
  })
  const keptSeen = await keepRecords(records, SEEN, (now) => {
    for (const { key, value } of now) if (typeof value === 'number') noteSeen(key as DeviceId, value)
  })
  const kept = await keepRecords(records, COLLECTION, take)
  if (token !== undefined || isShared) {
    const at = now()
    remember({
      id: TOKEN_DEVICE_ID,
      name: 'HOLDPOINT_TOKEN',
      role: 'owner',
      createdAt: at,
      lastSeenAt: at,
      // Without one here it is only known by its id: another gateway hands on what its holder wants done on this machine.
      ...(token !== undefined && { secretHash: hashSecret(token) }),
      kind: 'environment',
    })
  }

  function take(now: readonly RecordNow[]) {
    for (const { key, value } of now) {
      const id = key as DeviceId
      const known = byId.get(id)
      if (value !== undefined) {
        const device = value as StoredDevice
        if (revoking.has(id)) continue
        if (device.kind === 'browser' && device.pageSecretHash === undefined) noteOld(device)
        else remember(device)
      } else if (known) {
        forget(known)
        for (const listener of listeners) listener(id)
      }
    }
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

  function noteSeen(id: DeviceId, at: number) {
    seenAt.set(id, Math.max(at, seenAt.get(id) ?? 0))
    const device = byId.get(id)
    if (device) noteLives(device)
  }

  function lastSeenAt({ id, lastSeenAt }: Device): number {
    return Math.max(lastSeenAt, seenAt.get(id) ?? 0)
  }

  function noteLives(device: StoredDevice) {
    const [known] = lives.get(device.id) ?? []
    const absolute = known ?? (device.expiresAt === undefined ? undefined : lifeUntil(device.expiresAt, ABSOLUTE_MS))
    if (absolute) lives.set(device.id, [absolute, lifeUntil(lastSeenAt(device) + IDLE_MS, IDLE_MS)])
  }

  function forget(device: StoredDevice) {
    lives.delete(device.id)
    byToken.delete(device.secretHash ?? '')
    byPageSecret.delete(device.pageSecretHash ?? '')
    byId.delete(device.id)
  }

  async function erase(id: DeviceId): Promise<Revoked> {
    try {
      const wasStored = await kept.remove(id)
      for (const beside of [keptNames, keptSeen]) await beside.remove(id).catch(() => {})
      return revoking.delete(id) || wasStored ? 'revoked' : 'unknown'
    } catch (error) {
      if (!(error instanceof StoreFault) || !revoking.has(id)) throw error
      eraseAgain ??= clock.after(ERASE_AGAIN_MS, () => void eraseAll())
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

  function touch({ id }: StoredDevice) {
    const at = now()
    noteSeen(id, at)
    if (id === TOKEN_DEVICE_ID || at - (savedAt.get(id) ?? 0) < SAVE_EVERY_MS) return
    savedAt.set(id, at)
    // Only a reading: a failed write costs precision, nothing else.
    void keptSeen.put(id, at).catch(() => {})
  }

  async function refresh(id: DeviceId) {
    if (id !== TOKEN_DEVICE_ID) await kept.refresh(id)
  }

  /** A credential that is gone must not come back through a code that it made. What counts is the record: memory may lag. */
  async function mayVouch(by: DeviceId | undefined): Promise<boolean> {
    if (by === undefined) return true
    await refresh(by)
    return alive(byId.get(by)) !== undefined
  }

  async function add(grant: Grant, { name, kind }: NewDevice): Promise<Redeemed> {
    const at = now()
    const secret = newSecret()
    const device: StoredDevice = {
      id: deps.newId('dev'),
      name: name.slice(0, DEVICE_NAME_LENGTH),
      role: grant.role,
      ...(grant.sessionIds && { sessionIds: [...grant.sessionIds] }),
      createdAt: at,
      lastSeenAt: at,
      ...(kind === 'browser' && { expiresAt: at + ABSOLUTE_MS }),
      ...(kind === 'browser' ? { pageSecretHash: hashSecret(secret) } : { secretHash: hashSecret(secret) }),
      kind,
    }
    await kept.put(device.id, device)
    return { device: asShown(device), secret }
  }

  async function revoke(id: DeviceId): Promise<Revoked> {
    if (id === TOKEN_DEVICE_ID) return 'unknown'
    const device = byId.get(id)
    // Memory first: from here on nothing is decided with it, whether or not the disk takes the write below.
    if (device) {
      forget(device)
      revoking.set(id, { ...asShown(device), revoking: true })
      for (const listener of listeners) listener(id)
    }
    return erase(id)
  }

  function asShown(device: StoredDevice): Device {
    const { secretHash, pageSecretHash, ...rest } = device
    return { ...rest, name: names.get(device.id) ?? device.name, lastSeenAt: lastSeenAt(device) }
  }

  return {
    authenticate(credential) {
      const device = alive(
        'token' in credential
          ? byToken.get(hashSecret(credential.token))
          : byPageSecret.get(hashSecret(credential.pageSecret)),
      )
      if (device) touch(device)
      return device && asShown(device)
    },
    wasCookie: (value) => alive(oldCookies.get(hashSecret(value))) !== undefined,
    current(id) {
      const device = alive(byId.get(id))
      return device && asShown(device)
    },
    refresh,
    knows: (id) => byId.has(id),
    use(id) {
      const device = alive(byId.get(id))
      if (device) touch(device)
      return device && asShown(device)
    },
    newCode: ({ role, sessionIds }, by) =>
      codes.make(
        { role, ...(sessionIds && { sessionIds: [...sessionIds] }) },
        // It cannot be revoked, and is not known by its secret at every gateway.
        by === TOKEN_DEVICE_ID ? undefined : by,
      ),
    async pairing(id) {
      const pairing = await codes.pairing(id)
      const device = pairing?.device && alive(byId.get(pairing.device))
      return pairing && { expiresAt: pairing.expiresAt, ...(device && { device: asShown(device) }) }
    },
    async redeem(code, as) {
      const taken = await codes.take(code)
      if (!taken || !(await mayVouch(taken.by))) return undefined
      const redeemed = await add(taken.grant, as)
      if (!(await mayVouch(taken.by))) {
        await revoke(redeemed.device.id)
        return undefined
      }
      await codes.paired(taken, redeemed.device.id)
      return redeemed
    },
    add,
    list() {
      const isOfEnvironment = ({ id }: Device) => id === TOKEN_DEVICE_ID
      const living = [...byId.values()].filter(alive)
      return [
        ...living.filter((device) => !isOfEnvironment(device)).map(asShown),
        ...revoking.values(),
        ...living.filter((device) => isOfEnvironment(device) && token !== undefined).map(asShown),
      ]
    },
    async rename(id, name) {
      const device = alive(byId.get(id))
      if (!device || id === TOKEN_DEVICE_ID) return undefined
      await keptNames.put(id, name)
      // Revoked meanwhile.
      if (!byId.has(id)) await keptNames.remove(id)
      const current = byId.get(id)
      return current && asShown(current)
    },
    revoke,
    onRevoked: (listener) => void listeners.push(listener),
    async close() {
      await eraseAll()
      eraseAgain?.()
    },
  }
}

export function actorOf(device: Device): Actor {
  return { device: device.id, name: device.name, role: device.role }
}

/** Whether a credential's scope takes in this session. */
export function sees(device: Device, sessionId: SessionId): boolean {
  return device.sessionIds?.includes(sessionId) ?? true
}
