import { readFileSync } from 'node:fs'

/** The Claude Code that a hook runs for. */
export interface ClaudeProcess {
  readonly pid: number
  /** Ticks since boot; with the pid it names one process. Absent where there is no /proc. */
  readonly startedAt?: number
}

const MAX_ANCESTORS = 8
const MAX_KNOWN = 1000

/**
 * Tells which Claude Code a hook runs for: the nearest of its parent and that one's ancestors, or the parent itself where
 * that cannot be told. One that has just ended is still known by the earlier hooks of its conversation.
 */
export function createClaudeProcesses(proc = '/proc') {
  const known = new Map<string, ClaudeProcess>()

  function find(parent: number, conversation: string): ClaudeProcess {
    const first = readProcess(parent, proc)
    const claude = first && nearestClaude(first, proc)
    if (claude) return claude
    const earlier = known.get(conversation)
    if (!first) return earlier?.pid === parent ? earlier : { pid: parent }
    return earlier && hasTakenIn(first, earlier) ? earlier : named(first)
  }

  /** Whether it was there before that Claude Code, which is gone: then it only became the parent of what that one left. */
  function hasTakenIn(parent: ProcessEntry, { pid, startedAt = 0 }: ClaudeProcess): boolean {
    const entry = readProcess(pid, proc)
    return parent.startedAt < startedAt && (!entry || entry.isDead || entry.startedAt !== startedAt)
  }

  return (parent: number, conversation: string): ClaudeProcess => {
    const found = find(parent, conversation)
    known.delete(conversation)
    known.set(conversation, found)
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    return found
  }
}
export type ClaudeProcesses = ReturnType<typeof createClaudeProcesses>

interface ProcessEntry {
  readonly pid: number
  readonly name: string
  readonly parent: number
  readonly startedAt: number
  /** Only nobody has taken note of it yet. */
  readonly isDead: boolean
}

function nearestClaude(first: ProcessEntry, proc: string): ClaudeProcess | undefined {
  let entry: ProcessEntry | undefined = first
  for (let steps = 0; entry && entry.pid > 1 && steps < MAX_ANCESTORS; steps++) {
    if (isClaude(entry, proc)) return named(entry)
    entry = readProcess(entry.parent, proc)
  }
  return undefined
}

function named({ pid, startedAt }: ProcessEntry): ClaudeProcess {
  return { pid, startedAt }
}

function readProcess(pid: number, proc: string): ProcessEntry | undefined {
  const stat = readText(`${proc}/${pid}/stat`)
  // The name in parentheses may hold anything, parentheses and spaces included: fields count from the last one.
  const nameEnd = stat.lastIndexOf(')')
  const [state = '', parent, ...fields] = stat.slice(nameEnd + 2).split(' ')
  const startedAt = Number(fields[17])
  if (nameEnd < 0 || !Number.isSafeInteger(startedAt)) return undefined
  const name = stat.slice(stat.indexOf('(') + 1, nameEnd)
  return { pid, name, parent: Number(parent), startedAt, isDead: 'ZX'.includes(state) }
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
