import { DenyWithWords, takesWords } from '@holdpoint/react/cards/deny-with-words'
import { useLink } from '@holdpoint/react/hooks/use-link'
import { Button } from '@holdpoint/react/ui/button'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback, useState } from 'react'
import type { Message } from './use-message.ts'

const MOST_WORDS = 65_536

interface WaitingActionsProps {
  readonly message: Message
  readonly ask: Ask | undefined
  /** The words are on their way. */
  onDeny(): void
}

/** What can be done with a message while an ask waits. Enter sends; a no takes a press of its button. */
export function WaitingActions({ message, ask, onDeny }: WaitingActionsProps) {
  const { text, attachments, canSend, clearIf } = message
  const { state: link } = useLink()
  /** The one that was denied, until it is known what came of it. */
  const [denying, setDenying] = useState<Ask>()
  const denied = denying ?? (ask && takesWords(ask) ? ask : undefined)
  const onSettled = useCallback(
    (told: string | undefined) => {
      setDenying(undefined)
      if (told !== undefined) clearIf(told)
    },
    [clearIf],
  )
  const why =
    link !== 'live'
      ? 'Not connected: nothing can be sent now'
      : text.trim() === ''
        ? 'Write the words first'
        : attachments.attached.length > 0
          ? 'Files can be sent with a message only'
          : text.length > MOST_WORDS
            ? 'These words are too long'
            : undefined
  if (!ask && !denying) return null
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <Button type="submit" variant="primary" off={!canSend} busy={message.busy} className="grow sm:grow-0">
        Send after this
      </Button>
      {denied && (
        <DenyWithWords
          key={`${denied.id} ${denied.digest}`}
          ask={denied}
          words={text}
          why={why}
          onPress={() => {
            setDenying(denied)
            onDeny()
          }}
          onSettled={onSettled}
        />
      )}
    </div>
  )
}
