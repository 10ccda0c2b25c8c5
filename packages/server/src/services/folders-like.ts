import { opendir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { FoldersLike } from '@holdpoint/schema/endpoints/folders'
import { fromHome } from '../trust/existing-folder.ts'

/** Of one look: a folder may have a million entries, and its disk may be slow or gone. */
const LIMITS = { folders: 50, entries: 20_000, links: 200, ms: 1000 }
/** Each reading that does not come back holds one of the few threads that read files: there are never more of those. */
const MAX_OVERDUE = 2
const AT_ONCE = 256
const NOTHING: FoldersLike = { folders: [], more: false }
/** What nobody can type into a line, and what stands for bytes that are no text. */
const NO_NAME = /[\p{Cc}\uFFFD]/u
const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

type Limits = typeof LIMITS
type IsFolder = (path: string) => Promise<boolean>

/**
 * Completes a path as it is typed, `~` included: the folders in the last whole folder of it whose names have what stands
 * after the last slash in them, those that begin with it first. Hidden ones only where that begins with a dot.
 */
export function createFoldersLike(limits: Partial<Limits> = {}, isFolder: IsFolder = leadsToFolder) {
  const { folders: most, entries, links, ms } = { ...LIMITS, ...limits }
  let overdue = 0

  async function read(place: string, begun: string, found: string[], signal: AbortSignal): Promise<boolean> {
    let seen = 0
    let followed = 0
    for await (const entry of await opendir(place, { bufferSize: AT_ONCE })) {
      if (signal.aborted || ++seen > entries) return true
      if (!isMeant(entry.name, begun)) continue
      const isLink = entry.isSymbolicLink()
      if (isLink && ++followed > links) return true
      if (entry.isDirectory() || (isLink && (await isFolder(join(place, entry.name))))) found.push(entry.name)
    }
    return false
  }

  return async (typed: string, signal: AbortSignal): Promise<FoldersLike> => {
    const text = typed === '~' ? '~/' : typed
    const at = text.lastIndexOf('/') + 1
    const [above, begun] = [text.slice(0, at), text.slice(at)]
    const place = fromHome(above)
    if (!isAbsolute(place) || place.includes('\0')) return NOTHING
    if (overdue >= MAX_OVERDUE) return { folders: [], more: true }
    const over = AbortSignal.any([signal, AbortSignal.timeout(ms)])
    const found: string[] = []
    let isLate = false
    const reading = read(place, begun, found, over)
      // One that is not there, that is none, or that we may not read.
      .catch(() => false)
      .finally(() => {
        if (isLate) overdue--
      })
    const whole = await Promise.race([reading, whenAborted(over)])
    if (whole === 'late') {
      isLate = true
      overdue++
    }
    const names = found.sort(bySimilarity(begun))
    return { folders: names.slice(0, most).map((name) => above + name), more: whole !== false || names.length > most }
  }
}

function whenAborted(signal: AbortSignal): Promise<'late'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('late')
    else signal.addEventListener('abort', () => resolve('late'), { once: true })
  })
}

function isMeant(name: string, begun: string): boolean {
  if (name.startsWith('.') !== begun.startsWith('.') || NO_NAME.test(name)) return false
  return name.toLowerCase().includes(begun.toLowerCase())
}

function bySimilarity(begun: string) {
  const begins = (name: string) => name.toLowerCase().startsWith(begun.toLowerCase())
  return (one: string, other: string) =>
    Number(begins(other)) - Number(begins(one)) || ORDER.compare(one, other) || (one < other ? -1 : 1)
}

async function leadsToFolder(path: string): Promise<boolean> {
  const target = await stat(path).catch(() => undefined)
  return target?.isDirectory() ?? false
}
