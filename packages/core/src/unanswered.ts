import type { Ask } from '@holdpoint/schema/ask'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { OutgoingMessage } from './driver.ts'
import { slashCommand } from './text/slash-command.ts'
import { limitIn } from './time-limits.ts'

/**
 * An agent whose turn is stopped loses the words of our no, and reads its vendor's: that a user refused. So the next message
 * begins with this line.
 */
const LINE =
  'Nobody answered your last request in time, so your turn was stopped. This was not a refusal: nobody was there.'

/** Stands in the thread, so that people see all that the agent was sent. */
export const TOLD_NOTICE = `The agent was told before your message: “${LINE}”`

/** The session after one of its asks was settled: a turn that stops because nobody answered is remembered. */
export function afterSettled(session: Session, ask: Ask, outcome: Outcome): Session {
  // What a program asks, and an appeal, stop no turn: the agent goes on without them.
  const mayStop = ask.raisedBy === undefined && ask.appeal === undefined
  const isStopped = mayStop && outcome.kind === 'expired' && limitIn(session, ask.kind).onTimeout === 'interrupt'
  return isStopped ? { ...session, unanswered: {} } : session
}

/** The session after this message was sent: it tells, or the one before has told. */
export function afterSent(session: Session, message: MessageItem): Session {
  if (tells(session, message)) return { ...session, unanswered: { told: message.id } }
  const { unanswered, ...rest } = session
  return unanswered?.told === undefined ? session : rest
}

/** Whether this message, which is about to be sent, begins with the line. Before a command it would undo the command. */
export function tells({ unanswered }: Session, { text }: Pick<MessageItem, 'text'>): boolean {
  return unanswered !== undefined && unanswered.told === undefined && slashCommand(text) === undefined
}

/** A message as the agent gets it, of the session as it is after it was sent: the same each time that it is handed over. */
export function outgoing({ unanswered }: Session, item: MessageItem): OutgoingMessage {
  const text = unanswered?.told === item.id ? `${LINE}\n\n${item.text}` : item.text
  return { uuid: item.uuid ?? '', text, attachments: item.attachments ?? [] }
}
