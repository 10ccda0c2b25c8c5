import { type CallParts, callParts, partsOfRead } from './call-parts.ts'
import type { PolicyCall } from './policy-call.ts'
import type { RulePattern } from './rule-pattern.ts'
import type { ShellParts } from './shell-parts.ts'
import { stemOf } from './stem.ts'

/** Increase it when calls are split in a different way: what another version kept is then made again. */
export const PARTS_VERSION = 3

/** No rule allows a longer command, so its parts are not kept. */
const MAX_KEPT = 20_000

/** What is kept of the call of an ask, so that rules can be tried on it without reading it again. */
export interface KeptCall {
  /** The call with its parts, as text. The same for the same call in the same folder. */
  readonly text: string
  /** What it is about, each word with a space before and behind it: only rules about one of these can allow it. */
  readonly about: string
  /** What it has in common with others that one rule could allow; none where no rule is ever suggested for it. */
  readonly stem: string | undefined
}

/** A past call as rules are tried on it. */
export interface ReadCall extends Kept {
  readonly parts: CallParts
}

type Kept = Pick<PolicyCall, 'agent' | 'sessionAgent' | 'tool' | 'action' | 'cwd' | 'besides'>
type Given = Kept & Pick<PolicyCall, 'home'>

/** Nothing of a command that is too long. */
export function keptCall({ agent, sessionAgent, tool, action, cwd, besides, home }: Given): KeptCall | undefined {
  if (action.type === 'command' && action.command.length > MAX_KEPT) return undefined
  const parts = callParts({ action, tool, cwd, home })
  const text = JSON.stringify({ agent, sessionAgent, tool, cwd, action, besides, read: parts.read })
  if (text.length > 5 * MAX_KEPT) return undefined
  return {
    text,
    about: ` ${[...new Set(aboutParts(parts))].join(' ')} `,
    stem: besides === undefined ? stemOf(action, parts) : undefined,
  }
}

export function readKeptCall(text: string): ReadCall {
  const { read, ...call } = JSON.parse(text) as Kept & { read?: ShellParts }
  return { ...call, parts: partsOfRead(call.action, call.tool, read) }
}

/** The word of `about` without which an allow rule with this pattern allows no part of a call. */
export function aboutPattern(pattern: RulePattern): string | undefined {
  switch (pattern.about) {
    case 'command': {
      const [name] = pattern.words ?? []
      return name && 'text' in name ? ` ${programWord(name.text)} ` : undefined
    }
    case 'file':
      return ` ${pattern.use} `
    case 'fetch':
      return ' fetch '
    case 'mcp':
      return ' mcp '
    case 'tool':
      return ' tool '
    default:
      return pattern satisfies never
  }
}

function aboutParts({ subjects }: CallParts): string[] {
  return subjects.flatMap((subject) => {
    if (subject.type === 'path') return [subject.use]
    if (subject.type === 'whole') return [subject.action.type]
    const [name] = subject.words
    return subject.isInner || !name || !('text' in name) ? [] : [programWord(name.text)]
  })
}

function programWord(name: string): string {
  return `program:${name.replace(/\s/g, '_')}`
}

/** Where paths lead, for calls that are only tried: no file is looked at, and no link is there. */
export function asWritten(paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(paths.map((path) => [path, path]))
}
