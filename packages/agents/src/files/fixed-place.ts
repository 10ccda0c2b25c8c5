import { readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const MAX_STEPS = 500

/**
 * Whether a path leads to the same place for every process. Under `/proc` and `/dev` it does not, and a link can lead
 * there: `/proc/self/cwd/x` is one file to us and another to the command.
 */
export async function isFixedPlace(path: string): Promise<boolean> {
  let at = '/'
  let rest = path.split('/')
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const [part, ...after] = rest
    if (part === undefined) return true
    rest = after
    if (part === '' || part === '.') continue
    const next = part === '..' ? dirname(at) : join(at, part)
    if (/^\/(proc|dev)(\/|$)/.test(next)) return false
    const target = await readlink(next).catch(() => undefined)
    if (target === undefined) at = next
    else {
      if (target.startsWith('/')) at = '/'
      rest = [...target.split('/'), ...rest]
    }
  }
  return false
}
