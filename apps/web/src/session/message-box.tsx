import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Spinner } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import { statusOf } from '@holdpoint/react/ui/session-status'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { ArrowUp, Square } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { AttachButton } from '../attachments/attach-button.tsx'
import { AttachmentChips } from '../attachments/attachment-chips.tsx'
import { useCommand } from '../parts/use-command.ts'
import { type Insertion, insert } from './completion.ts'
import { CompletionList } from './completion-list.tsx'
import { ParkedHint } from './parked-hint.tsx'
import { sentMessages } from './sent-messages.ts'
import { type CompletionOption, useCompletion } from './use-completion.ts'
import type { Message } from './use-message.ts'
import { WaitingActions } from './waiting-actions.tsx'

export interface MessageBoxProps {
  readonly session: Session
  readonly message: Message
  /** The open ask whose card is in this box's place while nobody writes. */
  readonly ask: Ask | undefined
  readonly hidden: boolean
  onFocus(isFocused: boolean): void
}

/** Where the person writes to the agent. What is sent while the agent works waits for it. */
export function MessageBox({ session, message, ask, hidden, onFocus }: MessageBoxProps) {
  const client = useClient()
  const { state: link } = useLink()
  const { text, setText, attachments, canSend, send } = message
  const box = useRef<HTMLTextAreaElement>(null)
  const stopping = useCommand()
  /** Where the cursor is while the box has the focus, and nothing is selected. */
  const [cursor, setCursor] = useState<number>()
  /** How far back in what was sent the person has gone, while they have not changed it. */
  const [recalled, setRecalled] = useState<{ readonly at: number; readonly text: string }>()
  const completion = useCompletion(session.id, text, cursor)
  const status = statusOf(session)
  const isBusy = status === 'working' || status === 'waiting' || status === 'starting'
  useEffect(() => () => onFocus(false), [onFocus])
  const failure = message.failure ?? stopping.failure

  function write({ text: written, cursor: at }: Insertion) {
    flushSync(() => setText(written))
    box.current?.setSelectionRange(at, at)
    setCursor(at)
  }

  function pick({ inserts }: CompletionOption) {
    if (completion.completing && inserts !== undefined) write(insert(text, completion.completing, inserts))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const takes = completion.isOpen ? completionKey(event) : undefined
    const does = takes ?? boxKey(event)
    if (!does) return
    event.preventDefault()
    does()
  }

  function completionKey({ key, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const option = completion.options[completion.at]
    if (key === 'ArrowDown') return () => completion.move(1)
    if (key === 'ArrowUp') return () => completion.move(-1)
    if (key === 'Escape') return completion.dismiss
    if (!option || shiftKey) return undefined
    if (key === 'Tab') return () => pick(option)
    // Written in full it is sent as it is: Enter need not be pressed twice.
    const isWhole = option.inserts === text.trimEnd()
    return key === 'Enter' && !isWhole ? () => pick(option) : undefined
  }

  function boxKey({ key, shiftKey, repeat }: KeyboardEvent): (() => void) | undefined {
    // On touch screens Enter makes a line: there the button sends.
    if (key === 'Enter' && !shiftKey && !isTouch()) return sendNow
    if (key === 'ArrowUp' && (text === '' || text === recalled?.text)) return () => recall(1)
    if (key === 'ArrowDown' && text !== '' && text === recalled?.text) return () => recall(-1)
    // To interrupt withdraws what waits for the person: that takes a press of the button.
    if (key === 'Escape' && (status === 'working' || status === 'starting') && !repeat) return interrupt
    return undefined
  }

  function interrupt() {
    if (!stopping.busy) void stopping.run(client.interrupt(session.id))
  }

  function recall(step: 1 | -1) {
    const sent = sentMessages(session.id)
    const at = Math.min((text === '' ? 0 : (recalled?.at ?? 0)) + step, sent.length)
    const found = at > 0 ? (sent[sent.length - at] ?? '') : ''
    write({ text: found, cursor: found.length })
    setRecalled(at > 0 ? { at, text: found } : undefined)
    // What was sent before is not being typed.
    setCursor(undefined)
  }

  /** After sending, the person waits for the result: until they type again, an ask may take this place. */
  function sendNow() {
    onFocus(false)
    setCursor(undefined)
    void send()
  }

  function onPaste(event: ClipboardEvent) {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    attachments.add(event.clipboardData.files)
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
      className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 pt-2 pb-3 sm:px-4"
    >
      <ParkedHint session={session} />
      <AttachmentChips attachments={attachments} />
      {failure && (
        <p role="alert" className="text-[13px] text-deny">
          {failure}
        </p>
      )}
      <div className="relative flex items-end gap-1 rounded-2xl border border-line bg-card p-1.5 shadow-card outline-accent focus-within:border-accent has-[textarea:focus-visible]:outline-1">
        {completion.isOpen && <CompletionList completion={completion} onPick={pick} />}
        <AttachButton attachments={attachments} />
        <textarea
          ref={box}
          aria-label="Message to the agent"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={completion.isOpen ? completion.id : undefined}
          aria-activedescendant={completion.isOpen ? completion.optionId(completion.at) : undefined}
          value={text}
          onChange={(event) => {
            onFocus(true)
            setText(event.target.value)
            setCursor(event.target.selectionEnd)
          }}
          onSelect={({ currentTarget: { selectionStart, selectionEnd } }) =>
            setCursor((before) => (before === undefined || selectionStart !== selectionEnd ? undefined : selectionEnd))
          }
          onBlur={() => setCursor(undefined)}
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
            className="[&_svg]:fill-current [&_svg]:size-4"
            title={status === 'waiting' ? 'Stop the agent: what waits is withdrawn' : 'Stop the agent (Esc)'}
            onClick={interrupt}
            off={stopping.busy}
          />
        )}
        {!ask && (
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
        )}
      </div>
      <p role="status" className="sr-only">
        {completion.isOpen && `${completion.options.length} to choose from. Arrow keys choose, Enter inserts.`}
      </p>
      <WaitingActions message={message} ask={ask} onDeny={() => onFocus(false)} />
    </form>
  )
}

function isTouch(): boolean {
  return window.matchMedia('(pointer: coarse)').matches
}
