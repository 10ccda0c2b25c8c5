import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * When this process was started, in words that only serve to compare: with the pid they name one process, for a pid is
 * given out again. Undefined for one that is gone, and where the system does not tell.
 */
export function processStart(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? startInProc(pid) : startByPs(pid)
}

async function startInProc(pid: number): Promise<string | undefined> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => undefined)
  const [stat, boot] = await Promise.all([read(`/proc/${pid}/stat`), read('/proc/sys/kernel/random/boot_id')])
  // The name in parentheses may hold anything: fields count from the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields?.[19]
  if (ticks === undefined || isOver(fields?.[0])) return undefined
  return `${boot?.trim() ?? ''} ${ticks}`
}

async function startByPs(pid: number): Promise<string | undefined> {
  const ps = promisify(execFile)('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    // `ps` writes the time in the zone and language of its caller.
    env: { TZ: 'UTC', LC_ALL: 'C' },
  })
  const { stdout } = await ps.catch(() => ({ stdout: '' }))
  const [state, ...start] = stdout.trim().split(/\s+/)
  return start.length === 0 || isOver(state) ? undefined : start.join(' ')
}

/** Ended, and only kept until its parent has taken note. */
function isOver(state: string | undefined): boolean {
  return state !== undefined && /^[ZX]/.test(state)
}
