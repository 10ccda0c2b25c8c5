import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Cluster } from '@holdpoint/core/cluster'
import { fileChange } from '@holdpoint/core/policy/file-change'
import { createTurn } from '@holdpoint/core/turns'
import { PolicyRule } from '@holdpoint/schema/policy'
import type { PolicyFileState } from '@holdpoint/schema/policy-file'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import type { Log } from '../system/log.ts'
import { POLICY_FILES, policyFileKey } from './other-policy-files.ts'
import { fileRulesAt, lookError, readPolicyFile, stampOf } from './read-policy-file.ts'

export const FILE_LIMITS = { maxBytes: 4 * 1024 * 1024, maxRules: 10_000 }

/** The owner's policy file. What makes things stricter holds at once, what allows more after an owner has confirmed it. */
export interface PolicyFile {
  /** Looks whether the file has changed, and takes over what may hold at once. */
  refresh(): Promise<void>
  /** The rules in force. The same array until they change. */
  list(): readonly PolicyRule[]
  state(): PolicyFileState
  /** Whether we do not know which rules were in force: then nothing is allowed until an owner has confirmed the file. */
  isLost(): boolean
  /** Takes over everything that is in the file. False if that is not what was shown. */
  confirm(digest: string): Promise<boolean>
  /** Where the file is, by each of its names. */
  places(): readonly string[]
  /** Called when the state has changed: when a refresh found another file, or an owner has confirmed it. */
  subscribe(listener: () => void): void
}

export interface PolicyFileDeps {
  readonly path: string
  /** Whether somebody has named it: then it has to be there. */
  readonly isNamed: boolean
  readonly records: FollowedRecords
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Whether the records are older than the last ones: an allow rule among them may be gone since. */
  readonly isOlder: boolean
  /** The other gateways, which read what of this machine's file is in force; left out where there are none. */
  readonly cluster?: Pick<Cluster, 'node' | 'home'>
}

export async function createPolicyFile(deps: PolicyFileDeps): Promise<PolicyFile> {
  const { path, records, log } = deps
  const key = policyFileKey(deps.cluster)
  const record = await records.get(POLICY_FILES, key)
  const saved = savedRules(record)
  let isLost = saved === undefined
  let rules: readonly PolicyRule[] = (saved ?? []).filter(({ effect }) => !deps.isOlder || effect !== 'allow')
  /** The content of the file; undefined while it is unknown. */
  let wanted: readonly PolicyRule[] | undefined
  let error: string | undefined
  let waiting: PolicyFileState['waiting']
  let places: readonly string[] = [path]
  let stamp: string | undefined
  /** Most people have no such file, and every call looks. */
  let isMissing = false
  let isSaved = true
  let isOnRecord = record !== undefined
  const inTurn = createTurn()
  const listeners = new Set<() => void>()
  const state = (): PolicyFileState => ({
    path,
    rules: [...rules],
    ...(error !== undefined && { error }),
    ...(waiting && { waiting }),
  })

  /** One after another, for two loads at once could mix two files. */
  const change = <Value>(work: () => Promise<Value>) =>
    inTurn(async () => {
      const before = JSON.stringify(state())
      const value = await work()
      if (JSON.stringify(state()) !== before) await changed()
      return value
    })

  async function changed() {
    for (const listener of listeners) listener()
    // What is wrong with it, or waits, is shown at the others as well.
    if (deps.cluster && isSaved && !isLost) await put(rules).catch(notPersisted)
  }

  async function put(inForce: readonly PolicyRule[]) {
    await records.put(POLICY_FILES, key, deps.cluster ? { ...state(), rules: inForce } : { rules: inForce })
    isOnRecord = true
  }

  /** This machine was taken off the list while nobody heard of it, and its file with it: what that denies holds everywhere. */
  async function putBack(changed: string | undefined) {
    if (changed !== undefined && changed !== key) return
    if (!isOnRecord || isLost || (await records.get(POLICY_FILES, key)) !== undefined) return
    await put(rules)
  }

  const notPersisted = (problem: unknown) => log.warn('policy_file_not_persisted', { error: String(problem) })

  async function load() {
    const before = error
    const found = await look(path)
    places = found.places
    const read = 'error' in found ? found : found.stats ? await rulesOf(found) : { rules: [] }
    isMissing = !('error' in found) && !found.stats
    error = 'error' in read ? read.error : isMissing && deps.isNamed ? 'There is no such file.' : undefined
    stamp = 'error' in found || !found.stats ? undefined : stampOf(found.stats)
    if (error !== undefined) {
      waiting = undefined
      if (error !== before) log.warn('policy_file_not_used', { path, error })
      return
    }
    wanted = 'rules' in read ? read.rules : []
    await takeOver(wanted)
  }

  async function takeOver(file: readonly PolicyRule[]) {
    const { now, added, removed } = fileChange(rules, file)
    const isChanged = idsOf(now) !== idsOf(rules)
    // Edits of tests and reasons count, too; the array stays while nothing has changed at all.
    if (JSON.stringify(now) !== JSON.stringify(rules)) rules = now
    isSaved &&= !isChanged
    const shown = { added: [...added], removed: [...removed] }
    const isWaiting = added.length + removed.length > 0 || isLost
    const before = waiting?.digest
    waiting = isWaiting ? { digest: digestOf([idsOf(rules), idsOf(file)]), ...shown } : undefined
    if (waiting && waiting.digest !== before)
      log.warn('policy_file_waits', { path, added: added.length, removed: removed.length })
    if (isChanged) log.info('policy_file_read', { path, rules: now.length })
    await save()
  }

  /** Stricter rules hold even if they cannot be stored: after a restart they are read from the file again. */
  async function save() {
    if (isSaved || isLost) return
    try {
      await put(rules)
      isSaved = true
    } catch (problem) {
      notPersisted(problem)
    }
  }

  async function isAsBefore(): Promise<boolean> {
    if (isMissing && isSaved) return isStillMissing()
    if (stamp === undefined) return false
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    return found !== undefined && stampOf(found) === stamp
  }

  async function isStillMissing(): Promise<boolean> {
    if (deps.isNamed) return lstat(path).then(() => false, isMissingError)
    try {
      // In the data folder: its disk is waited for anyway, for the database, and another thread would take ten times as long.
      return lstatSync(path, { throwIfNoEntry: false }) === undefined
    } catch {
      return false
    }
  }

  async function refresh(): Promise<void> {
    if (!(await isAsBefore())) await change(load)
  }

  // On disk before anything else: the next start does not know any more that the record was an older one.
  if (deps.isOlder && !isLost) await put(rules)
  await refresh()
  records.follow?.(POLICY_FILES, (changed) => inTurn(() => putBack(changed)))
  return {
    refresh,
    list: () => rules,
    state,
    isLost: () => isLost,
    confirm: (digest) =>
      change(async () => {
        await load()
        if (error !== undefined || !wanted || waiting?.digest !== digest) return false
        await put(wanted)
        rules = wanted
        isSaved = true
        isLost = false
        waiting = undefined
        log.info('policy_file_confirmed', { path, rules: rules.length })
        return true
      }),
    places: () => places,
    subscribe: (listener) => void listeners.add(listener),
  }
}

type Look =
  | { readonly places: readonly string[]; readonly stats: BigIntStats | undefined }
  | { readonly places: readonly string[]; readonly error: string }

/** Whoever may write to it, or put another file in its place, would make the rules. */
async function look(path: string): Promise<Look> {
  const isLink = await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  try {
    const real = await realpath(path)
    const places = [...new Set([path, real])]
    const stats = await stat(real, { bigint: true })
    const folders = await Promise.all([...new Set(places.map(dirname))].map((folder) => stat(folder, { bigint: true })))
    if (!isOwn(stats) || !folders.every(isOwn)) return { places, error: 'It, or its folder, belongs to another user.' }
    if (isWritable(stats)) return { places, error: 'Other users may write to it. Run chmod go-w on it.' }
    if (folders.some((folder) => isWritable(folder) && (folder.mode & STICKY) === 0n))
      return { places, error: 'Other users may replace it. Run chmod go-w on its folder.' }
    return { places, stats }
  } catch (error) {
    return isMissingError(error) && !isLink
      ? { places: [path], stats: undefined }
      : { places: [path], error: lookError(error) }
  }
}

function isMissingError(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}

const STICKY = 0o1000n

function isOwn({ uid }: BigIntStats): boolean {
  return uid === 0n || process.geteuid === undefined || uid === BigInt(process.geteuid())
}

function isWritable({ mode }: BigIntStats): boolean {
  return (mode & 0o022n) !== 0n
}

async function rulesOf({ places, stats }: Extract<Look, { stats: unknown }>) {
  const read = await readPolicyFile(places.at(-1) ?? '', FILE_LIMITS)
  return 'error' in read ? read : fileRulesAt(read.rows, Number(stats?.mtimeMs ?? 0), read)
}

/** Undefined if they are there and cannot be read. */
function savedRules(record: unknown): readonly PolicyRule[] | undefined {
  if (record === undefined) return []
  const read = PolicyRule.array().safeParse((record as { rules?: unknown }).rules)
  return read.success ? read.data : undefined
}

function idsOf(rules: readonly PolicyRule[]): string {
  return rules
    .map(({ id }) => id)
    .sort()
    .join(' ')
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}
