import { diskLook } from '../../files/disk-look.ts'
import { leadsTo } from '../../files/leads-to.ts'

/** More paths than a person's command names. What lies beyond is not known, and so not allowed. */
const MAX_PATHS = 200

/**
 * Where paths lead once links are followed, those that do not exist by their nearest folder. One that cannot be told is left
 * out.
 */
export async function realPaths(paths: readonly string[], disk = diskLook()): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    paths.slice(0, MAX_PATHS).map(async (path): Promise<[string, string][]> => {
      const place = (await leadsTo(path, disk)) ?? path
      return place.startsWith('/') ? [[path, place]] : []
    }),
  )
  return new Map(found.flat())
}
