import type { Answer } from '@holdpoint/schema/answer'
import { OctagonX } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { ArmedArea, ArmedButton, keyDecides, useArming } from '../arming/arming.tsx'
import { Button } from '../ui/button.tsx'
import { panelKeys } from './panel-keys.ts'

interface DenyPanelProps {
  /** Ask and digest. */
  readonly decision: string
  /** Of the field for a reason. Left out: there is none. */
  readonly label?: string
  readonly placeholder?: string
  /** What a no means, where it takes no reason. */
  readonly note?: string
  readonly confirm: string
  readonly sent: Answer | undefined
  readonly off: boolean
  /** Offers to stop the agent too. */
  readonly canStop: boolean
  onDeny(message: string, stop: boolean): void
  onClose(): void
}

/** An optional reason, where the agent reads one, then the no. */
export function DenyPanel({
  decision,
  label,
  placeholder,
  note,
  confirm,
  sent,
  off,
  canStop,
  onDeny,
  onClose,
}: DenyPanelProps) {
  const arming = useArming(decision)
  const [message, setMessage] = useState('')
  const field = useId()
  const panel = useRef<HTMLDivElement>(null)
  // With the field alone in view, the buttons below it stay out of sight on a phone.
  useEffect(() => {
    // Not returned: some browsers give a promise, which React would call as a function.
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const stops = sent?.kind === 'deny' && sent.interrupt === true
  const onKeyDown = panelKeys({
    onClose,
    onConfirm(event) {
      if (!off && !sent && keyDecides(arming, event)) onDeny(message, false)
    },
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the text field and buttons inside.
    <div ref={panel} onKeyDown={onKeyDown} className="mt-3 border-t border-line px-4 py-3">
      {note !== undefined && <p className="text-[13px] text-quiet">{note}</p>}
      {label !== undefined && (
        <>
          <label htmlFor={field} className="text-[13px] text-quiet">
            {label}
          </label>
          <textarea
            id={field}
            // biome-ignore lint/a11y/noAutofocus: the person asked for this field with the press before.
            autoFocus
            rows={2}
            maxLength={65_536}
            value={message}
            placeholder={placeholder}
            onChange={(event) => setMessage(event.target.value)}
            className="mt-1 block scroll-mb-36 field-sizing-content max-h-60 min-h-16 w-full resize-y rounded-lg border border-edge bg-card px-3 py-2 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent sm:text-sm"
          />
        </>
      )}
      <ArmedArea arming={arming} className="mt-2.5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button
          variant="quiet"
          // The pressed button is gone: without a field the focus goes to the harmless one.
          autoFocus={label === undefined}
          onClick={onClose}
        >
          Cancel
        </Button>
        {canStop && (
          <ArmedButton
            variant="deny"
            icon={OctagonX}
            off={off || (sent && !stops)}
            busy={stops}
            onPress={() => onDeny(message, true)}
          >
            Deny and stop the agent
          </ArmedButton>
        )}
        <ArmedButton variant="deny" off={off || stops} busy={sent && !stops} onPress={() => onDeny(message, false)}>
          {confirm}
        </ArmedButton>
      </ArmedArea>
    </div>
  )
}
