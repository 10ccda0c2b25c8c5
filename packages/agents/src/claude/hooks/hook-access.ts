import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a hook calls. The same stands in hook.sh. */
export const HOOK_HOST = 'holdpoint'
export const HOOK_PATH = '/hook'

/** Only the user can listen, or call, in the data folder. Shorter than the name of its lock: it fits where that one does. */
export function hookSocket(dataDir: string): string {
  return join(dataDir, 'hook.sock')
}

/** The header that a hook sends, and nothing else: curl takes it from there, so that no list of processes shows it. */
export function hookCredential(dataDir: string): string {
  return join(dataDir, 'hook-credential')
}

export function credentialText(token: string): string {
  return `Authorization: Bearer ${token}\n`
}

/** Undefined when there is none, or what is there makes no sense. */
export function readToken(dataDir: string): string | undefined {
  try {
    return /^Authorization: Bearer (\S+)\n$/.exec(readFileSync(hookCredential(dataDir), 'utf8'))?.[1]
  } catch {
    return undefined
  }
}
