import { render } from '@holdpoint/core/text/visible-text'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { type KeyboardEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { ArmedArea, ArmedButton, keyDecides, useArming } from '../arming/arming.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { answerTogether } from '../asks/answering.ts'
import { openAsk } from '../asks/ask-index.ts'
import type { Burst } from '../asks/burst.ts'
import { batchOf, type LeftOut } from '../asks/burst-state.ts'
import { useGateway } from '../hooks/use-gateway.tsx'
import { useLink } from '../hooks/use-link.tsx'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, takesFocus } from '../ui/dialog.tsx'
import { AllowedCall, BatchLine } from './batch-items.tsx'

export interface BatchDialogProps {
  readonly kind: 'allow' | 'deny'
  /** As they were when the dialog was opened. Later ones are never added; those that are settled meanwhile go. */
  readonly asks: readonly Ask[]
  readonly leftOut: readonly LeftOut[]
  readonly burst: Burst
  /** All of them have the answer that was given here, or nobody wants to give one any more. */
  onClose(): void
}

/**
 * The one confirmation for several asks. To allow, all of every call is in it, and has to have been on screen to its end,
 * here or on its card; each answer is bound to the digest of its own ask. What fails says so beside its ask.
 */
export function BatchDialog({ kind, asks, leftOut, burst, onClose }: BatchDialogProps) {
  const client = useClient()
  const isLive = useLink().state === 'live'
  const [isBusy, setBusy] = useState(false)
  const [reason, setReason] = useState('')
  const selection = useSyncExternalStore(burst.subscribe, burst.getSelection)
  const { open, unseen, decision } = useGateway(
    (state) => batchOf(asks, ({ id }) => openAsk(state.asks, id), selection),
    (before, after) => before.decision === after.decision && before.unseen.length === after.unseen.length,
  )
  const arming = useArming(decision)
  const howToSee = useHowToSee()
  const isAllow = kind === 'allow'
  const isUnseen = isAllow && unseen.length > 0
  const cannotSend = !isLive || isBusy || isUnseen || open.length === 0

  async function send() {
    if (cannotSend) return
    setBusy(true)
    const sent = await answerTogether(
      client,
      open.map((ask) => ({ ask, answer: isAllow ? { kind: 'allow', digest: ask.digest } : noTo(ask, reason) })),
    )
    setBusy(false)
    burst.tick(sent.counted, false)
    if (sent.failed.length === 0) onClose()
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (keyDecides(arming, event)) void send()
  }

  const gone = asks.length - open.length
  const hint = isUnseen
    ? `${howToSee}: ${unseen.length} not seen yet`
    : gone > 0 && !isBusy
      ? `${gone} of ${asks.length} ${gone === 1 ? 'is' : 'are'} settled`
      : undefined
  return (
    <Dialog
      open
      onClose={onClose}
      title={titleOf(kind, asks)}
      footer={
        <ArmedArea arming={arming} className="flex w-full flex-wrap items-center justify-end gap-2">
          <span role="status" className="text-[13px] text-wait empty:hidden max-sm:basis-full">
            {isLive ? hint : 'Not live: nothing can be sent now.'}
          </span>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <ArmedButton
            variant={isAllow ? 'primary' : 'deny'}
            off={cannotSend}
            busy={isBusy}
            onPress={() => void send()}
            className="max-sm:flex-1"
          >
            {isAllow ? 'Allow' : 'Deny'} {open.length}
          </ArmedButton>
        </ArmedArea>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to what is inside. */}
      <div onKeyDown={onKeyDown} className="flex flex-col gap-4 text-sm">
        {isAllow ? (
          <>
            <p className="text-quiet">Each of these runs once, exactly as it stands here.</p>
            <List label="To allow" reads>
              {asks.map((ask, at) => (
                <AllowedCall key={ask.id} ask={ask} at={at} onSeen={() => burst.markEndSeen(ask)} />
              ))}
            </List>
            {leftOut.length > 0 && (
              <section>
                <h3 className="mb-1.5 text-xs font-semibold text-faint">Left out: answer these one by one</h3>
                <ul className="flex flex-col gap-1.5">
                  {leftOut.map(({ ask, why }) => (
                    <BatchLine key={ask.id} ask={ask} note={why} />
                  ))}
                </ul>
              </section>
            )}
          </>
        ) : (
          <>
            <ReasonField reason={reason} onChange={setReason} />
            <List label="To deny" reads={false}>
              {asks.map((ask) => (
                <BatchLine key={ask.id} ask={ask} />
              ))}
            </List>
          </>
        )}
      </div>
    </Dialog>
  )
}

function titleOf(kind: BatchDialogProps['kind'], asks: readonly Ask[]): string {
  const one = asks.length === 1
  if (kind === 'deny') return `Deny ${asks.length} ${one ? 'ask' : 'asks'}?`
  return `Allow ${asks.length} ${render((asks[0]?.tool?.name ?? '').slice(0, 80))} ${one ? 'call' : 'calls'}?`
}

/** The agent does not read a reason for a call that it has refused itself. */
function noTo(ask: Ask, reason: string): Answer {
  return { kind: 'deny', digest: ask.digest, ...(reason.trim() !== '' && !ask.appeal && { message: reason }) }
}

/** The focus is on what is to be read, for the keys that scroll. The line above it stays in sight. */
function List({ label, reads, children }: { label: string; reads: boolean; children: ReactNode }) {
  return (
    <ol
      aria-label={label}
      ref={reads ? takesFocus : undefined}
      tabIndex={reads ? 0 : undefined}
      className={`flex scroll-mt-16 flex-col rounded-lg outline-offset-4 focus-visible:outline-2 focus-visible:outline-accent ${reads ? 'gap-3' : 'gap-1.5'}`}
    >
      {children}
    </ol>
  )
}

function ReasonField({ reason, onChange }: { reason: string; onChange(reason: string): void }) {
  return (
    <label className="block">
      <span className="text-[13px] text-quiet">Why not? Each agent reads this (optional)</span>
      <textarea
        ref={takesFocus}
        rows={2}
        maxLength={65_536}
        value={reason}
        placeholder="Say what to do instead"
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 block field-sizing-content max-h-60 min-h-16 w-full resize-y rounded-lg border border-edge bg-card px-3 py-2 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent sm:text-sm"
      />
    </label>
  )
}
