import type { CallAction } from '@holdpoint/schema/call-action'
import type { Subject } from './fits.ts'
import type { PolicyCall } from './policy-call.ts'
import { type ShellPart, type ShellParts, shellParts } from './shell-parts.ts'

/** What a call consists of, taken apart once: every rule is compared with the same parts. */
export interface CallParts {
  /** Of a command. */
  readonly read: ShellParts | undefined
  readonly subjects: readonly Subject[]
}

type Given = Pick<PolicyCall, 'action' | 'tool' | 'cwd' | 'home'>

export function callParts({ action, tool, cwd, home }: Given): CallParts {
  return partsOfRead(action, tool, action.type === 'command' ? shellParts(action.command, cwd, home) : undefined)
}

/** The same of a command that was read before. */
export function partsOfRead(action: CallAction, tool: string, read: ShellParts | undefined): CallParts {
  return { read, subjects: action.type === 'command' ? subjectsOf(read?.parts ?? []) : [subjectOf(action, tool)] }
}

function subjectsOf(parts: readonly ShellPart[]): Subject[] {
  return parts.map((part) => (part.type === 'command' ? part : { ...part, type: 'path' }))
}

function subjectOf(action: Exclude<CallAction, { type: 'command' }>, tool: string): Subject {
  switch (action.type) {
    case 'file': {
      const { use, path, isTree } = action
      const isSure = path.startsWith('/') && !/\/\.{1,2}(\/|$)/.test(path)
      return {
        type: 'path',
        text: `${use === 'read' ? 'reading' : 'writing'} ${path}`,
        use,
        path,
        isSure,
        ...(isTree && { isTree }),
      }
    }
    case 'fetch':
      return { type: 'whole', text: action.url, action }
    case 'mcp':
      return { type: 'whole', text: `${action.tool} of ${action.server}`, action }
    case 'tool':
      return { type: 'whole', text: tool, action }
    default:
      return action satisfies never
  }
}
