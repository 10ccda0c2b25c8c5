import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { SessionId } from '@holdpoint/schema/id'
import { useCallback, useState } from 'react'
import { useAttachments } from '../attachments/use-attachments.ts'
import { keepDraft, readDraft } from '../parts/draft.ts'
import { useCommand } from '../parts/use-command.ts'
import { noteSent } from './sent-messages.ts'

/** A message that is being written to one session, and the sending of it. */
export function useMessage(sessionId: SessionId) {
  const client = useClient()
  const { state: link } = useLink()
  const [text, setTextState] = useState(() => readDraft(sessionId))
  const attachments = useAttachments()
  const sending = useCommand()
  const canSend = text.trim() !== '' && !attachments.busy && !sending.busy && link === 'live'

  function setText(next: string) {
    setTextState(next)
    keepDraft(sessionId, next)
  }

  async function send() {
    if (!canSend) return
    const { ids } = attachments
    const taken = attachments.take()
    // At once: what is written from now on is the next message.
    setText('')
    const message = { text, ...(ids.length > 0 && { attachments: ids }) }
    noteSent(sessionId, text)
    if (await sending.run(client.sendMessage(sessionId, message))) return
    attachments.putBack(taken)
    setTextState((written) => before(text, written))
    // Also when the person has left the page meanwhile, but not after a logout: that leaves nothing behind.
    if (client.getState().link !== 'logged-out') keepDraft(sessionId, before(text, readDraft(sessionId)))
  }

  /** These words have been said in another way. What was written since stays. */
  const clearIf = useCallback(
    (said: string) => {
      setTextState((written) => (written === said ? '' : written))
      if (readDraft(sessionId) === said) keepDraft(sessionId, '')
    },
    [sessionId],
  )

  return {
    text,
    setText,
    clearIf,
    attachments,
    canSend,
    send,
    busy: sending.busy,
    failure: sending.failure,
    isEmpty: text === '' && attachments.attached.length === 0,
  }
}
export type Message = ReturnType<typeof useMessage>

function before(unsent: string, written: string): string {
  return written === '' ? unsent : `${unsent}\n${written}`
}
