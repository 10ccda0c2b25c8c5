import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { namesRule, outcomeKind } from './ask-machine.ts'

/**
 * Whether only the gateway on the machine of the agent can take this answer: it looks once more at what the card showed. A
 * no needs no look, nor does an answer to a question that stays in Holdpoint.
 */
export function needsItsMachine(ask: Ask, answer: Answer, isTyped: (agent: string) => boolean): boolean {
  if (outcomeKind(answer) === 'denied') return false
  return mayHaveChanged(ask) || namesRule(ask, answer) || isTyped(ask.agent)
}

/**
 * Whether it acts on files, or in a folder that another may have taken the place of. What a raiser asks for may be done on
 * another machine: a folder of the same name here says nothing about it, and is not its to find out about.
 */
export function mayHaveChanged({ files, plan, toolUseId, kind, context, raisedBy }: Ask): boolean {
  if (raisedBy !== undefined) return false
  const hasFolder = kind === 'approval' && toolUseId !== undefined && context.cwd !== undefined
  return files !== undefined || plan !== undefined || hasFolder
}
