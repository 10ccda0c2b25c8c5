import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskLook } from '@holdpoint/agents/files/disk-look'
import { isFixedPlace } from '@holdpoint/agents/files/fixed-place'
import { type DiskLook, MISSING } from '@holdpoint/core/disk-look'
import { isInside } from '@holdpoint/core/policy/places'
import type { RepositoryPolicyState } from '@holdpoint/schema/policy-file'
import { fileRulesAt, lookError, readPolicyFile, stampOf } from './read-policy-file.ts'

const NAME = '.holdpoint/policy.json'
const LIMITS = { maxBytes: 256 * 1024, maxRules: 1000 }
/** Folders whose file is kept in memory. */
const MAX_KEPT = 200

export interface RepositoryPolicy extends RepositoryPolicyState {
  /** Where the file is, by each of its names. */
  readonly places: readonly string[]
}

export type ReadRepositoryPolicy = (folder: string, disk?: DiskLook) => Promise<RepositoryPolicy | undefined>

/**
 * Reads the policy file that a repository brings along. It can only tighten: its allow rules are listed and have no effect.
 * `dataDir` is not a repository's, also where it has the same name.
 */
export function createRepositoryPolicies(dataDir: string): ReadRepositoryPolicy {
  const kept = new Map<string, { readonly stamp: string; readonly policy: RepositoryPolicy }>()
  const own = realpath(dataDir).catch(() => dataDir)

  return async (folder, disk = diskLook()) => {
    const path = join(folder, NAME)
    try {
      // Nearly no repository has one, and every call looks.
      if ((await disk.isLink(path)) === MISSING) return undefined
      if (!(await isFixedPlace(path))) return broken([path], 'It points to a different place in each process.')
      const real = await realpath(path)
      if (isInside(await own, real)) return undefined
      const places = [...new Set([path, real])]
      if (!isInside(folder, real)) return broken(places, 'It is a link that leads out of the folder.')
      const found = await stat(real, { bigint: true })
      const stamp = stampOf(found)
      const known = kept.get(path)
      if (known && known.stamp === stamp) return known.policy
      const policy = await read(places, real, Number(found.mtimeMs), folder)
      if (kept.size >= MAX_KEPT) kept.clear()
      if (stamp !== undefined) kept.set(path, { stamp, policy })
      return policy
    } catch (error) {
      return broken([path], lookError(error))
    }
  }
}

async function read(places: readonly string[], real: string, at: number, folder: string): Promise<RepositoryPolicy> {
  const file = await readPolicyFile(real, LIMITS)
  if ('error' in file) return broken(places, file.error)
  const ignored = file.rows.filter(({ effect }) => effect === 'allow').map(({ pattern }) => pattern)
  const stricter = fileRulesAt(
    file.rows.filter(({ effect }) => effect !== 'allow'),
    at,
    { folder, lines: file.lines },
  )
  if ('error' in stricter) return broken(places, stricter.error)
  return { path: places[0] ?? real, places, rules: [...stricter.rules], ignored }
}

function broken(places: readonly string[], error: string): RepositoryPolicy {
  return { path: places[0] ?? '', places, rules: [], ignored: [], error }
}
