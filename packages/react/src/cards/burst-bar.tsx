import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { type Burst, createBurst } from '../asks/burst.ts'
import { burstView, type LeftOut, MOST_AT_ONCE } from '../asks/burst-state.ts'
import { useGateway } from '../hooks/use-gateway.tsx'
import { useMachines } from '../hooks/use-machines.tsx'
import { isAway, type KnownMachine, machineOf } from '../machines/machine-of.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { Button } from '../ui/button.tsx'
import { isFreeKey } from '../ui/typing.tsx'
import { BatchDialog, type BatchDialogProps } from './batch-dialog.tsx'

export type { Burst } from '../asks/burst.ts'

/** Ticks for asks that are shown together, of any sessions. The ticks of what is not among them any more are gone. */
export function useBurst(asks: readonly Ask[]): Burst {
  const [burst] = useState(createBurst)
  useLayoutEffect(() => burst.show(asks), [burst, asks])
  return burst
}

/** Whether an ask is ticked; undefined where its card has no tick box. */
export function useTick(burst: Burst | undefined, ask: Ask): boolean | undefined {
  const isTicked = () => burst?.isTicked(ask)
  return useSyncExternalStore(burst?.subscribe ?? nobody, isTicked, isTicked)
}

function nobody() {
  return () => {}
}

export interface BurstBarProps {
  /** Those that `useBurst` was told of. */
  readonly asks: readonly Ask[]
  readonly burst: Burst
  /** The dialog is closed, and the bar may be gone with the last tick: the focus needs another place. */
  onDone?(): void
}

/** What can be done with the ticked asks. Nothing while none is ticked. Shift+A and Shift+D press its buttons. */
export function BurstBar({ asks, burst, onDone }: BurstBarProps) {
  const selection = useSyncExternalStore(burst.subscribe, burst.getSelection)
  const frozen = useGateway(({ sessions }) => [...sessions.values()].flatMap(({ id, frozen: is }) => (is ? [id] : [])))
  const machines = useMachines() ?? []
  const away = useGateway(({ sessions }) =>
    [...sessions.values()].flatMap((session) => (isOnAway(machines, session) ? [session.id] : [])),
  )
  const { chosen, allowed, leftOut, tools } = burstView(
    asks,
    selection,
    (id) => frozen.includes(id),
    (id) => away.includes(id),
  )
  const [dialog, setDialog] = useState<Pick<BatchDialogProps, 'kind' | 'asks' | 'leftOut'>>()
  const isBar = chosen.length > 0
  const mayAllow = allowed.length > 0

  const open = (kind: BatchDialogProps['kind']) =>
    setDialog(kind === 'deny' ? { kind, asks: chosen, leftOut: [] } : { kind, asks: allowed, leftOut })
  useEffect(() => {
    if (!isBar) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isFreeKey(event) || !((event.key === 'A' && mayAllow) || event.key === 'D')) return
      // The letter must not end up in the field that opens.
      event.preventDefault()
      open(event.key === 'A' ? 'allow' : 'deny')
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })

  return (
    <>
      {isBar && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields.
        <div
          role="group"
          aria-label="Answer the selected asks"
          className="flex flex-wrap items-center gap-2 rounded-xl border border-accent bg-accent-bg px-4 py-2.5 text-sm shadow-lift"
        >
          <span className="font-medium">{chosen.length} selected</span>
          <Button variant="quiet" onClick={burst.clear} className="max-sm:ml-auto">
            Clear
          </Button>
          <div
            aria-live="polite"
            className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-wait max-sm:not-empty:basis-full max-sm:empty:flex-none"
          >
            {tools.length > 1 ? (
              <>
                <OneTool tools={tools} onChoose={(others) => burst.tick(others, false)} />
                <span>{leftOutWords(leftOut)}</span>
              </>
            ) : (
              notAllAllowed(chosen, allowed, leftOut)
            )}
          </div>
          <Button variant="deny" aria-keyshortcuts="Shift+D" onClick={() => open('deny')} className="max-sm:grow">
            Deny {chosen.length}…
          </Button>
          <Button
            variant="primary"
            aria-keyshortcuts="Shift+A"
            off={!mayAllow}
            onClick={() => open('allow')}
            className="max-sm:grow"
          >
            Allow{mayAllow ? ` ${allowed.length}` : ''}…
          </Button>
        </div>
      )}
      {dialog && (
        <BatchDialog
          {...dialog}
          burst={burst}
          onClose={() => {
            setDialog(undefined)
            onDone?.()
          }}
        />
      )}
    </>
  )
}

function isOnAway(machines: readonly KnownMachine[], session: Session): boolean {
  const machine = machineOf(machines, session)
  return machine !== undefined && isAway(machine)
}

/** Lets go of what is not of one tool. */
function OneTool({
  tools,
  onChoose,
}: {
  tools: ReturnType<typeof burstView>['tools']
  onChoose(others: readonly Ask[]): void
}) {
  return (
    <>
      <span>Only calls of one tool can be allowed together:</span>
      {tools.map(({ name, asks }) => (
        <button
          key={name}
          type="button"
          onClick={() => onChoose(tools.filter((tool) => tool.name !== name).flatMap((tool) => tool.asks))}
          className="min-h-11 max-w-48 truncate rounded-md px-1.5 font-medium underline underline-offset-2 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-7"
        >
          only <VisibleText text={name} code /> ({asks.length})
        </button>
      ))}
    </>
  )
}

/** Which of the selected asks an allow does not take, and why. */
function notAllAllowed(chosen: readonly Ask[], allowed: readonly Ask[], leftOut: readonly LeftOut[]): string {
  const words = leftOutWords(leftOut)
  const rest = chosen.length - allowed.length - leftOut.length
  const tooMany = rest > 0 ? `At most ${MOST_AT_ONCE} at once: ${rest} stay selected` : ''
  return [words, tooMany].filter((part) => part !== '').join(' · ')
}

function leftOutWords(leftOut: readonly LeftOut[]): string {
  const reasons = [...new Set(leftOut.map(({ why }) => why))]
  return reasons.map((why) => `${leftOut.filter((entry) => entry.why === why).length} left out: ${why}`).join(' · ')
}
