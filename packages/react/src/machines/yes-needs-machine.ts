import { needsItsMachine } from '@holdpoint/core/needs-its-machine'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'

/** What lets the agent continue, and what people may do instead. */
const YES: Readonly<
  Record<Ask['kind'], { readonly answer: Answer; readonly words: string; readonly instead: string }>
> = {
  approval: { answer: { kind: 'allow' }, words: 'An allow', instead: 'deny it' },
  plan: { answer: { kind: 'allow' }, words: 'An approval', instead: 'send it back' },
  question: { answer: { kind: 'answer', answers: [] }, words: 'An answer', instead: 'skip it' },
  form: { answer: { kind: 'submit', content: {} }, words: 'An answer', instead: 'decline it' },
}

/** Whether it is answered by keys in a terminal. */
export function isTyped(agent: string): boolean {
  return agent === TERMINAL_AGENT
}

/** Whether a yes has to wait until the machine of the agent is back. Everything else can be given meanwhile. */
export function yesNeedsItsMachine(ask: Ask): boolean {
  return Object.hasOwn(YES, ask.kind) && needsItsMachine(ask, YES[ask.kind].answer, isTyped)
}

/** What can still be done about an ask whose machine cannot be reached. */
export function awayWords(ask: Ask): string {
  // A program may be at another gateway, and is not kept waiting by this machine.
  if (ask.raisedBy !== undefined) return 'A program asks this. You can answer it now.'
  if (!yesNeedsItsMachine(ask)) return 'You can answer now. The agent gets the answer when its machine is back.'
  const { words, instead } = YES[ask.kind]
  return `You can ${instead} now: the agent hears it when its machine is back. ${words} has to wait, because only that machine can check that nothing has changed.`
}
