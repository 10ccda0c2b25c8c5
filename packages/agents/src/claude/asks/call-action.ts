import { resolve } from 'node:path'
import type { ActionOfCall, WantedCall } from '@holdpoint/core/driver'
import type { CallAction } from '@holdpoint/schema/call-action'

type Kind = 'command' | 'read' | 'write' | 'fetch'

/** Of each tool whose action is known: the field that says it, and the fields that change nothing about it. */
const TOOLS: Readonly<
  Record<string, { readonly kind: Kind; readonly field: string; readonly harmless: readonly string[] }>
> = {
  Bash: { kind: 'command', field: 'command', harmless: ['description', 'timeout'] },
  Read: { kind: 'read', field: 'file_path', harmless: ['offset', 'limit', 'pages'] },
  Glob: { kind: 'read', field: 'path', harmless: ['pattern'] },
  Grep: {
    kind: 'read',
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
export function callAction({ tool: { name, input }, cwd }: WantedCall): ActionOfCall {
  const [, server, serversTool] = /^mcp__((?:(?!__).)+)__(.+)$/s.exec(name) ?? []
  if (server !== undefined && serversTool !== undefined) return { action: { type: 'mcp', server, tool: serversTool } }
  const known = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
  if (!known) return { action: { type: 'tool' } }
  const action = actionOf(known.kind, input[known.field], cwd)
  if (!action) return { action: { type: 'tool' } }
  const others = Object.keys(input).filter((key) => key !== known.field && !known.harmless.includes(key))
  // A search reads below its folder whatever it looks for; a pattern may lead out of it.
  const leads = [input.pattern, input.glob].filter((text) => name === 'Glob' || text === input.glob)
  const isLeading = leads.some((text) => typeof text === 'string' && /^[~/]|\.\./.test(text))
  const besides = others.length > 0 ? `Its input also has ${others.join(', ')}.` : undefined
  if (besides !== undefined) return { action, besides }
  return isLeading && known.kind === 'read'
    ? { action, besides: 'Its pattern may lead out of the folder.' }
    : { action }
}

/** The same for a Claude Code that runs in a terminal, whatever its driver is called: rules for Claude Code hold there. */
export function claudeAction(call: WantedCall): ActionOfCall {
  return { ...callAction(call), agent: 'claude' }
}

function actionOf(kind: Kind, value: unknown, cwd: string | undefined): CallAction | undefined {
  // A search without a folder is made in the call's own.
  const text = value === undefined && kind === 'read' ? cwd : value
  if (typeof text !== 'string' || text === '') return undefined
  if (kind === 'command') return { type: 'command', command: text }
  if (kind === 'fetch') return { type: 'fetch', url: text }
  if (!text.startsWith('/') && cwd === undefined) return undefined
  return { type: 'file', use: kind, path: resolve(cwd ?? '/', text) }
}
