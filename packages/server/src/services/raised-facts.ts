import { shortText } from '@holdpoint/agents/claude/asks/short-text'
import type { AskContext, AskRequest, Tool } from '@holdpoint/schema/ask'
import type { CallAction } from '@holdpoint/schema/call-action'

/**
 * What a card says of a call that a program puts to people, read off its exact input as for a call of an agent: a text that
 * stands in the input as it is, never what the program says about it (T27). A folder or a `~` is not worked out, because the
 * program may run on another machine.
 */
export function raisedFacts(
  { name, input }: Tool,
  action: CallAction,
): { readonly title: string; readonly context: Omit<AskContext, 'cwd'> } | undefined {
  const context = factsOf(action)
  const [fact] = Object.values(context)
  if (fact === undefined || !Object.values(input).includes(fact)) return undefined
  return { title: `${shortText(name)}: ${shortText(fact)}`, context }
}

function factsOf(action: CallAction): Pick<AskRequest['context'], 'command' | 'filePath' | 'url'> {
  switch (action.type) {
    case 'command':
      return { command: action.command }
    case 'fetch':
      return { url: action.url }
    case 'file':
      return action.isTree ? {} : { filePath: action.path }
    case 'mcp':
    case 'tool':
      return {}
    default:
      return action satisfies never
  }
}
