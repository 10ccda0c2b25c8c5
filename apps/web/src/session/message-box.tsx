import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Spinner } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import { statusOf } from '@holdpoint/react/ui/session-status'
import type { Session } from '@holdpoint/schema/session'
import { ArrowUp, Square } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { AttachButton } from '../attachments/attach-button.tsx'
import { AttachmentChips } from '../attachments/attachment-chips.tsx'
import { useCommand } from '../parts/use-command.ts'
import type { Message } from './use-message.ts'

export interface MessageBoxProps {
  readonly session: Session
  readonly message: Message
  readonly hidden: boolean
  onFocus(isFocused: boolean): void
}

/** Where the person writes to the agent. What is sent while the agent works waits for it. */
export function MessageBox({ session, message, hidden, onFocus }: MessageBoxProps) {
  const client = useClient()
  const { state: link } = useLink()
  const { text, setText, attachments, canSend, send } = message
  const stopping = useCommand()
  const [isDropping, setIsDropping] = useState(false)
  const status = statusOf(session)
  const isBusy = status === 'working' || status === 'waiting' || status === 'starting'
  useEffect(() => () => onFocus(false), [onFocus])
  const failure = message.failure ?? stopping.failure

  function onKeyDown(event: KeyboardEvent) {
    // On touch screens Enter makes a line: there the button sends.
    const isSend = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !isTouch()
    if (!isSend) return
    event.preventDefault()
    sendNow()
  }

  /** After sending, the person waits for the result: until they type again, an ask may take this place. */
  function sendNow() {
    onFocus(false)
    void send()
  }

  function onPaste(event: ClipboardEvent) {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    attachments.add(event.clipboardData.files)
  }

  function onDrop(event: DragEvent) {
    event.preventDefault()
    setIsDropping(false)
    attachments.add(event.dataTransfer.files)
  }

  return (
    <form
      aria-label="Message"
      hidden={hidden}
      onFocus={() => onFocus(true)}
      // A window that goes to the background keeps its focus: the field has it again when the window comes back.
      onBlur={({ currentTarget }) => onFocus(currentTarget.contains(document.activeElement))}
      onSubmit={(event) => {
        event.preventDefault()
        sendNow()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setIsDropping(true)
      }}
      onDragLeave={() => setIsDropping(false)}
      onDrop={onDrop}
      className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 pt-2 pb-3 sm:px-4"
    >
      <AttachmentChips attachments={attachments} />
      {failure && (
        <p role="alert" className="text-[13px] text-deny">
          {failure}
        </p>
      )}
      <div
        className={`flex items-end gap-1 rounded-2xl border bg-card p-1.5 shadow-card outline-accent focus-within:border-accent has-[textarea:focus-visible]:outline-1 ${isDropping ? 'border-accent bg-accent-bg' : 'border-line'}`}
      >
        <AttachButton attachments={attachments} />
        <textarea
          aria-label="Message to the agent"
          value={text}
          onChange={(event) => {
            onFocus(true)
            setText(event.target.value)
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          rows={1}
          placeholder={isBusy ? 'Write for later' : 'Write to the agent'}
          className="field-sizing-content max-h-[40dvh] min-h-11 w-full min-w-0 resize-none bg-transparent px-1.5 py-2.5 text-base leading-6 outline-none placeholder:text-faint pointer-fine:min-h-8 pointer-fine:py-1 pointer-fine:text-[15px]"
        />
        {isBusy && (
          <IconButton
            icon={Square}
            label="Stop the agent"
            onClick={() => void stopping.run(client.interrupt(session.id))}
            off={stopping.busy}
          />
        )}
        <button
          type="submit"
          aria-label="Send"
          title={link === 'live' ? 'Send' : 'Not connected: nothing can be sent now'}
          aria-disabled={!canSend}
          aria-busy={message.busy}
          className="flex size-11 shrink-0 items-center justify-center rounded-xl bg-accent text-on-accent transition-colors focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-accent aria-disabled:bg-panel aria-disabled:text-faint pointer-fine:size-8"
        >
          {message.busy ? <Spinner /> : <ArrowUp aria-hidden className="size-4.5" />}
        </button>
      </div>
    </form>
  )
}

function isTouch(): boolean {
  return window.matchMedia('(pointer: coarse)').matches
}
