import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { useMemo, useState } from 'react'
import { ArmedArea, ArmedButton, useArming } from '../arming/arming.tsx'
import { answerTogether } from '../asks/answering.ts'
import { type BurstSelection, burstReducer, burstView, NO_BURST } from '../asks/burst-state.ts'
import { useLink } from '../hooks/use-link.tsx'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { Button } from '../ui/button.tsx'
import type { CardSelection } from './ask-card.tsx'

/** The ticks of one group of asks, shared by its cards and its bar. */
export interface Burst {
  readonly selection: BurstSelection
  markEndSeen(ask: Ask): void
  /** Undefined where its card has no tick box. */
  isTicked(askId: AskId): boolean | undefined
  /** The tick box of one card; undefined where it has none. */
  selectionOf(ask: Ask): CardSelection | undefined
  clear(): void
}

/** Whether the ticks of a group, which are another object with each of its asks, still say the same of this one. */
export function sameTicks(before: Burst | undefined, after: Burst | undefined, askId: AskId): boolean {
  return (before === undefined) === (after === undefined) && before?.isTicked(askId) === after?.isTicked(askId)
}

/** Ticks for the open asks of one session. Cards get a tick box when at least two approvals wait. */
export function useBurst(asks: readonly Ask[]): Burst {
  const [selection, setSelection] = useState(NO_BURST)
  return useMemo(() => {
    const approvals = new Set(asks.filter((ask) => ask.kind === 'approval').map((ask) => ask.id))
    const isTicked = (askId: AskId) =>
      approvals.size > 1 && approvals.has(askId) ? selection.ticked.has(askId) : undefined
    return {
      selection,
      isTicked,
      markEndSeen: (ask) => setSelection((before) => burstReducer(before, { type: 'end-seen', ask })),
      selectionOf(ask) {
        const selected = isTicked(ask.id)
        if (selected === undefined) return undefined
        return {
          selected,
          onChange: (ticked) =>
            setSelection((before) => burstReducer(before, { type: 'ticked', ask, selected: ticked })),
        }
      },
      clear: () => setSelection((before) => burstReducer(before, { type: 'cleared' })),
    }
  }, [asks, selection])
}

/** Answers the ticked asks of one session together, each by its own digest. Nothing while fewer than two wait. */
export function BurstBar({ asks, burst }: { asks: readonly Ask[]; burst: Burst }) {
  const client = useClient()
  const live = useLink().state === 'live'
  const [busy, setBusy] = useState<'allow' | 'deny'>()
  const { chosen, cannotAllow, decision } = burstView(asks, burst.selection)
  const arming = useArming(decision)
  if (chosen.length === 0) return null

  async function answer(kind: 'allow' | 'deny') {
    setBusy(kind)
    const answers = chosen.map((ask) => ({ ask, answer: { kind, digest: ask.digest } satisfies Answer }))
    // A refusal is shown on the ask's own card.
    await answerTogether(client, answers)
    setBusy(undefined)
    burst.clear()
  }

  return (
    <ArmedArea
      arming={arming}
      role="group"
      aria-label="Answer the selected asks"
      className="flex flex-wrap items-center gap-2 rounded-xl border border-accent bg-accent-bg px-4 py-2.5 text-sm"
    >
      <span className="font-medium">{chosen.length} selected</span>
      <Button variant="quiet" onClick={burst.clear} className="max-sm:ml-auto">
        Clear
      </Button>
      <span
        className="min-w-0 flex-1 text-[13px] text-wait max-sm:not-empty:basis-full max-sm:empty:flex-none"
        aria-live="polite"
      >
        {cannotAllow}
      </span>
      <ArmedButton
        variant="deny"
        off={!live || busy === 'allow'}
        busy={busy === 'deny'}
        onPress={() => void answer('deny')}
        className="max-sm:grow"
      >
        Deny {chosen.length} selected
      </ArmedButton>
      <ArmedButton
        variant="primary"
        off={!live || cannotAllow !== undefined || busy === 'deny'}
        busy={busy === 'allow'}
        onPress={() => void answer('allow')}
        className="max-sm:grow"
      >
        Allow {chosen.length} selected
      </ArmedButton>
    </ArmedArea>
  )
}
