import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ActionOfCall, WantedCall } from '@holdpoint/core/driver'
import type { CallAction } from '@holdpoint/schema/call-action'

/** A search reads all that lies below its folder. */
type Kind = 'command' | 'read' | 'search' | 'write' | 'fetch'

/** Of each tool whose action is known: the field that says it, and the fields that change nothing about it. */
const TOOLS: Readonly<
  Record<string, { readonly kind: Kind; readonly field: string; readonly harmless: readonly string[] }>
> = {
  Bash: { kind: 'command', field: 'command', harmless: ['description', 'timeout'] },
  Monitor: { kind: 'command', field: 'command', harmless: ['description'] },
  Read: { kind: 'read', field: 'file_path', harmless: ['offset', 'limit', 'pages'] },
  Glob: { kind: 'search', field: 'path', harmless: ['pattern'] },
  Grep: {
    kind: 'search',
    field: 'path',
    harmless: [
      'pattern',
      'glob',
      'type',
      'output_mode',
      'head_limit',
      'offset',
      'multiline',
      '-A',
      '-B',
      '-C',
      '-i',
      '-n',
      '-o',
      'context',
    ],
  },
  Write: { kind: 'write', field: 'file_path', harmless: ['content'] },
  Edit: { kind: 'write', field: 'file_path', harmless: ['old_string', 'new_string', 'replace_all'] },
  NotebookEdit: {
    kind: 'write',
    field: 'notebook_path',
    harmless: ['cell_id', 'new_source', 'cell_type', 'edit_mode'],
  },
  WebFetch: { kind: 'fetch', field: 'url', harmless: ['prompt'] },
}

/** What a tool of Claude Code does. A field that is not known here may do anything: it is said, not guessed. */
export function callAction(call: WantedCall): ActionOfCall {
  const action = actionOf(call)
  return { agent: 'claude', action, ...(action.type !== 'mcp' && action.type !== 'tool' && besidesOf(call)) }
}

function actionOf({ tool: { name, input }, cwd }: WantedCall): CallAction {
  // Where its pattern leads is not worked out.
  if (leadsOut(name, input)) return { type: 'file', use: 'read', path: '/', isTree: true }
  const [, server, tool] = /^mcp__((?:(?!__).)+)__(.+)$/s.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return { type: 'mcp', server, tool }
  const known = knownTool(name)
  return (known && fieldAction(known.kind, input[known.field], cwd)) ?? { type: 'tool' }
}

function knownTool(name: string) {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
}

function besidesOf({ tool: { name, input } }: WantedCall): Pick<ActionOfCall, 'besides'> {
  const known = knownTool(name)
  if (name === 'Monitor') return { besides: 'Monitor runs the command in the background.' }
  const others = Object.keys(input).filter((key) => key !== known?.field && !known?.harmless.includes(key))
  if (others.length > 0) return { besides: `Its input also has ${others.join(', ')}.` }
  if (leadsOut(name, input)) return { besides: 'Its pattern may lead out of the folder.' }
  const path = known && known.kind !== 'command' && known.kind !== 'fetch' ? input[known.field] : undefined
  const isPlain = typeof path !== 'string' || (path === path.trim() && path !== '' && !path.startsWith('~'))
  return isPlain ? {} : { besides: 'Its path is not written in full.' }
}

/** A search reads below its folder whatever it looks for; a pattern may lead out of it. */
function leadsOut(name: string, input: Readonly<Record<string, unknown>>): boolean {
  if (knownTool(name)?.kind !== 'search') return false
  const leads = name === 'Glob' ? [input.pattern, input.glob] : [input.glob]
  return leads.some((text) => typeof text === 'string' && /^\s*[~/]|\.\./.test(text))
}

function fieldAction(kind: Kind, value: unknown, cwd: string | undefined): CallAction | undefined {
  const isSearch = kind === 'search'
  // A search without a folder is made in the call's own.
  const given = value === undefined && (isSearch || kind === 'read') ? cwd : value
  if (typeof given !== 'string' || (given === '' && !isSearch)) return undefined
  if (kind === 'command') return { type: 'command', command: given }
  if (kind === 'fetch') return { type: 'fetch', url: given }
  // As Claude Code is thought to read it, which is not measured: so no rule allows such a path (`besides`).
  const text = given.trim().replace(/^~(?=\/|$)/, homedir)
  if (!text.startsWith('/') && cwd === undefined) return undefined
  const path = resolve(cwd ?? '/', text)
  return isSearch ? { type: 'file', use: 'read', path, isTree: true } : { type: 'file', use: kind, path }
}
