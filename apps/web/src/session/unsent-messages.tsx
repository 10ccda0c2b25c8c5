import { useThread } from '@holdpoint/react/hooks/use-thread'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'

export interface Unsent {
  readonly messages: readonly MessageItem[]
  /** They still wait, and the next life of the session gets them. Otherwise the agent ended on the last one, in silence. */
  readonly waits: boolean
}

/** What was written to a session that ended before its agent said anything to it. */
export function useUnsent(session: Session): Unsent {
  const { items } = useThread(session.id)
  const queued = items.filter(isMessage).filter(({ status }) => status === 'queued')
  if (queued.length > 0) return { messages: queued, waits: true }
  const last = session.error ? items.findLast(({ type }) => type !== 'notice') : undefined
  return { messages: last && isMessage(last) && last.role === 'user' ? [last] : [], waits: false }
}

function isMessage(item: Item): item is MessageItem {
  return item.type === 'message'
}

/** Nothing that a person wrote is lost with an agent that could not be started. */
export function UnsentMessages({ unsent: { messages, waits } }: { unsent: Unsent }) {
  if (messages.length === 0) return null
  return (
    <section aria-label="Not answered" className="basis-full">
      <p className="text-xs text-quiet">
        {waits ? 'The agent ended before it got this:' : 'The agent ended without a word to this:'}
      </p>
      <ul className="mt-1 flex max-h-40 flex-col gap-1 overflow-y-auto">
        {messages.map(({ id, text }) => (
          <li key={id} className="flex items-start gap-2 rounded-lg border border-line bg-card py-1 pr-1 pl-3 text-sm">
            <p className="min-w-0 flex-1 py-1 whitespace-pre-wrap wrap-anywhere">
              <VisibleText text={text} />
            </p>
            <CopyButton text={text} label="Copy the message" />
          </li>
        ))}
      </ul>
    </section>
  )
}
