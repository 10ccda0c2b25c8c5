import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { TriangleAlert } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { ArmedButton, useArming } from '../arming/arming.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { ActionRow, WIDE_ON_PHONE } from './action-row.tsx'
import { AnswerStatus } from './answer-status.tsx'
import type { OpenCardProps } from './card-frame.tsx'

/** Keeps an error in one card from the rest of the page: one ask must not be able to hide the others. */
export class CardFault extends Component<
  { readonly fallback: ReactNode; readonly children: ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}

/** How each kind is refused. */
export const NO: Readonly<
  Record<Ask['kind'], { readonly kind: 'deny' | 'cancel' | 'decline'; readonly words: string }>
> = {
  approval: { kind: 'deny', words: 'Deny' },
  question: { kind: 'cancel', words: 'Skip' },
  plan: { kind: 'deny', words: 'Send back' },
  form: { kind: 'decline', words: 'Decline' },
}

const LONGEST_NAME = 200

/** An open ask that cannot be shown: what is not seen is not allowed, so it can only be refused. */
export function UnshownCard(card: OpenCardProps) {
  const { ask, state } = card
  const arming = useArming(`${ask.id} ${ask.digest}`)
  const no = Object.hasOwn(NO, ask.kind) ? NO[ask.kind] : undefined
  const sent: Answer | undefined = state.kind === 'submitting' ? state.answer : undefined
  return (
    <article
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves from card to card.
      tabIndex={0}
      aria-label="Needs answer, but cannot be shown"
      data-ask-id={ask.id}
      data-kind={ask.kind}
      data-state="unshown"
      className="group/card min-w-0 rounded-xl border border-wait-line bg-card text-sm text-ink shadow-card outline-offset-2 focus-visible:outline-2 focus-visible:outline-accent"
    >
      <div className="flex gap-2.5 px-4 pt-3.5">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
        <p className="min-w-0 wrap-anywhere">
          <VisibleText text={(ask.tool?.name ?? ask.kind).slice(0, LONGEST_NAME)} code className="font-semibold" />
          {card.session && (
            <>
              {' in '}
              <VisibleText text={card.session.title.slice(0, LONGEST_NAME)} />
            </>
          )}
          : this page could not show this ask, so it cannot be allowed here.
        </p>
      </div>
      <AnswerStatus card={card} />
      <ActionRow arming={arming}>
        {no && (
          <ArmedButton
            variant="deny"
            off={card.blocked !== undefined}
            busy={sent !== undefined}
            onPress={() => card.onAnswer(ask, { kind: no.kind, digest: ask.digest })}
            className={WIDE_ON_PHONE}
          >
            {no.words}
          </ArmedButton>
        )}
      </ActionRow>
    </article>
  )
}

/** The same once it is settled. */
export function UnshownSettledCard({ ask }: { ask: Ask }) {
  return (
    <article
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves from card to card.
      tabIndex={0}
      aria-label="Settled, but cannot be shown"
      data-ask-id={ask.id}
      data-kind={ask.kind}
      data-state="unshown"
      className="rounded-xl border border-line bg-card px-4 py-2.5 text-sm text-quiet"
    >
      This ask is settled. This page could not show it.
    </article>
  )
}
