import { readFileSync } from 'node:fs'

/** The Claude Code that a hook runs for. */
export interface ClaudeProcess {
  readonly pid: number
  /** Ticks since boot; with the pid it names one process. Absent where there is no /proc. */
  readonly startedAt?: number
}

const MAX_ANCESTORS = 8

/** The nearest of `parent` and its ancestors that is Claude Code; `parent` where that cannot be told. */
export function claudeProcess(parent: number, proc = '/proc'): ClaudeProcess {
  const first = readProcess(parent, proc)
  let entry = first
  for (let steps = 0; entry && entry.pid > 1 && steps < MAX_ANCESTORS; steps++) {
    if (isClaude(entry, proc)) return named(entry)
    entry = readProcess(entry.parent, proc)
  }
  return first ? named(first) : { pid: parent }
}

interface ProcessEntry {
  readonly pid: number
  readonly name: string
  readonly parent: number
  readonly startedAt: number
}

function named({ pid, startedAt }: ProcessEntry): ClaudeProcess {
  return { pid, startedAt }
}

function readProcess(pid: number, proc: string): ProcessEntry | undefined {
  const stat = readText(`${proc}/${pid}/stat`)
  // The name in parentheses may hold anything, parentheses and spaces included: fields count from the last one.
  const nameEnd = stat.lastIndexOf(')')
  const fields = stat.slice(nameEnd + 2).split(' ')
  const startedAt = Number(fields[19])
  if (nameEnd < 0 || !Number.isSafeInteger(startedAt)) return undefined
  return { pid, name: stat.slice(stat.indexOf('(') + 1, nameEnd), parent: Number(fields[1]), startedAt }
}

/** By its name; an installation that runs on Node may show in its command line alone. */
function isClaude({ pid, name }: ProcessEntry, proc: string): boolean {
  if (name === 'claude') return true
  const [program = '', script = ''] = readText(`${proc}/${pid}/cmdline`).split('\0')
  return /(^|\/)claude$/.test(program) || /(^|\/)claude(-code\/.*)?$/.test(script)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
