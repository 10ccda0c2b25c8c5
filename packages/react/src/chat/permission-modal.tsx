import type { PermissionReply, PermissionRequest } from '@holdpoint/core/permission-request'
import { useEffect, useRef, useState } from 'react'
import { ArmedArea, ArmedButton, useArming } from '../arming/arming.tsx'
import { isArmed } from '../arming/arming-state.ts'
import { useHowToSee } from '../arming/in-sight.ts'
import { CardFault } from '../cards/card-fault.tsx'
import type { PermissionError } from '../hooks/use-permissions.tsx'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PermissionContext } from './permission-context.tsx'
import { alwaysWords } from './shown-call.ts'
import { SubmitError } from './submit-error.tsx'

export interface PermissionModalProps {
  /** Nothing is shown while there is none. */
  readonly request: PermissionRequest | null
  /** A deliberate press on this very request. The button is busy until what it gives back is settled. */
  onReply(reply: PermissionReply, message?: string): void | Promise<void>
  /** Escape or the close button. */
  onClose(): void
  /** How many wait behind this one. */
  readonly waiting?: number
  /** A reply that did not get through, and how to send it once more. */
  readonly error?: PermissionError | undefined
}

/** One permission request at a time, in front of everything else. */
export function PermissionModal({ request, onReply, onClose, waiting = 0, error }: PermissionModalProps) {
  const arming = useArming(request?.id ?? '')
  const [seen, setSeen] = useState<string>()

  function close() {
    // An Escape that was meant for the request before must not decide this one.
    if (isArmed(arming.disturbedAt('key'), performance.now())) onClose()
  }
  return (
    // The dialog stays while requests come and go; what is in it is new for each.
    <Dialog
      open={request !== null}
      firm
      onClose={close}
      title="Permission required"
      aside={waiting > 0 && <Chip>{waiting === 1 ? '1 more waits' : `${waiting} more wait`}</Chip>}
      footer={
        request && (
          <ArmedArea arming={arming} className="flex w-full flex-wrap items-center justify-end gap-2">
            <Footer key={request.id} request={request} isSeen={seen === request.id} onReply={onReply} error={error} />
          </ArmedArea>
        )
      }
    >
      {request && <Body key={request.id} request={request} onAllSeen={() => setSeen(request.id)} />}
    </Dialog>
  )
}

function Body({ request, onAllSeen }: { request: PermissionRequest; onAllSeen(): void }) {
  const box = useRef<HTMLDivElement>(null)
  // The buttons of the request before are gone, and the keyboard was on one of them.
  useEffect(() => box.current?.focus({ preventScroll: true }), [])
  const always = alwaysWords(request)
  return (
    <div ref={box} tabIndex={-1} data-request-id={request.id} className="flex flex-col gap-3 outline-none">
      {/* What could not be shown was not seen to its end: it can be denied, and nothing else. */}
      <CardFault fallback={<p className="text-sm text-wait">This page could not show what is asked for.</p>}>
        <PermissionContext request={request} onAllSeen={onAllSeen} />
      </CardFault>
      {always !== undefined && (
        <p className="text-[13px] text-quiet">
          <span className="font-medium text-ink">Always Allow</span> {always}
        </p>
      )}
    </div>
  )
}

interface FooterProps {
  readonly request: PermissionRequest
  readonly isSeen: boolean
  readonly onReply: PermissionModalProps['onReply']
  readonly error: PermissionModalProps['error']
}

function Footer({ request, isSeen, onReply, error }: FooterProps) {
  const [sent, setSent] = useState<PermissionReply>()
  const [isConfirming, setConfirming] = useState(false)
  const howToSee = useHowToSee()
  const opensOnNo = request.metadata.defaultToNo === true
  const isBusy = (reply: PermissionReply) => sent === reply
  const isOff = (reply: PermissionReply) => (sent !== undefined && sent !== reply) || (reply !== 'deny' && !isSeen)

  function send(reply: PermissionReply, how: () => void | Promise<void> = () => onReply(reply)) {
    if (sent) return
    setSent(reply)
    const end = () => setSent(undefined)
    Promise.resolve(how()).then(end, end)
  }
  if (isConfirming) {
    return (
      <>
        <p className="basis-full text-[13px] text-wait">This is marked as high risk (default: No). Allow anyway?</p>
        <Button autoFocus onClick={() => setConfirming(false)} className="max-sm:grow">
          Back
        </Button>
        <ArmedButton
          variant="primary"
          off={isOff('allow')}
          busy={isBusy('allow')}
          onPress={() => send('allow')}
          className="max-sm:grow"
        >
          Allow Once
        </ArmedButton>
      </>
    )
  }
  return (
    <>
      {error && (
        <div className="flex basis-full items-center gap-2 *:first:flex-1">
          <SubmitError message={error.message} />
          <ArmedButton off={sent !== undefined} onPress={() => send(error.reply, error.retry)}>
            Retry
          </ArmedButton>
        </div>
      )}
      {!isSeen && <span className="text-[13px] text-wait max-sm:basis-full">{howToSee} to allow</span>}
      <ArmedButton
        variant={opensOnNo ? 'primary' : 'deny'}
        off={isOff('deny')}
        busy={isBusy('deny')}
        onPress={() => send('deny')}
        className="max-sm:grow"
      >
        Deny
      </ArmedButton>
      {request.patterns.length > 0 && (
        <ArmedButton
          off={isOff('always')}
          busy={isBusy('always')}
          onPress={() => send('always')}
          className="max-sm:grow"
        >
          Always Allow
        </ArmedButton>
      )}
      <ArmedButton
        variant={opensOnNo ? 'plain' : 'primary'}
        off={isOff('allow')}
        busy={isBusy('allow')}
        onPress={() => (opensOnNo ? setConfirming(true) : send('allow'))}
        className="max-sm:grow"
      >
        {opensOnNo ? 'Allow Once…' : 'Allow Once'}
      </ArmedButton>
    </>
  )
}
