import { readlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { diskLook } from './disk-look.ts'
import { isFixedPlace, isOwnPlace } from './fixed-place.ts'
import { realPlace } from './real-place.ts'

/**
 * Where a path without `..` leads, if a link is on the way or at its end; undefined if none is. A path that leads elsewhere
 * for other processes, or cannot be followed, leads nowhere that is known.
 */
export async function leadsTo(path: string, disk = diskLook()): Promise<string | undefined> {
  if (await isOwnPlace(path, disk)) return undefined
  if (!(await isFixedPlace(path, disk))) return UNKNOWN
  const real = await disk.realPath(path)
  if (typeof real === 'string') return real === path ? undefined : real
  const place = await realPlace(path)
  if (place === undefined) return UNKNOWN
  // One that leads to nothing yet: what the call makes there is made elsewhere.
  const link = await readlink(place).catch(() => undefined)
  if (link !== undefined) {
    const target = resolve(dirname(place), link)
    return target === path ? UNKNOWN : target
  }
  return place === path ? undefined : place
}

const UNKNOWN = 'an unknown location'
