import { Button } from '@holdpoint/react/button'
import { useEffect, useRef, useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import type { ConversationCalls, ConversationMessage } from './conversation-calls.ts'
import type { ConversationState } from './terminal-frame.ts'

type Step =
  | { readonly name: 'offer' }
  /** Nothing has been typed. */
  | { readonly name: 'asking'; readonly proposal: ConversationMessage; readonly isBusy: boolean }
  | { readonly name: 'told'; readonly words: string }

const OFFER: Step = { name: 'offer' }
const NOT_FOUND = 'The message was sent, but no conversation on this machine holds it. It stays unknown.'

export interface FindConversationProps {
  readonly state: ConversationState
  readonly calls: ConversationCalls
}

/** Offers to find the conversation that an agent has in a terminal. What that takes is shown before anything is typed. */
export function FindConversation({ state, calls }: FindConversationProps) {
  const [step, setStep] = useState<Step>(OFFER)
  const offer = useRef<HTMLButtonElement>(null)
  const isMissing = state === 'unknown' || state === 'guessed'

  // Found, by this or in another way.
  useEffect(() => {
    if (state === 'known') setStep(OFFER)
  }, [state])

  async function look() {
    const result = await settle(calls.message())
    setStep(
      result.ok ? { name: 'asking', proposal: result.value, isBusy: false } : { name: 'told', words: result.message },
    )
  }
  async function find(proposal: ConversationMessage) {
    setStep({ name: 'asking', proposal, isBusy: true })
    const result = await settle(calls.find(proposal.marker))
    if (!result.ok) return setStep({ name: 'told', words: result.message })
    setStep(result.value.found ? OFFER : { name: 'told', words: NOT_FOUND })
  }
  function close() {
    setStep(OFFER)
    // Back to where it was opened from.
    requestAnimationFrame(() => offer.current?.focus())
  }

  if (step.name === 'offer' && !isMissing) return null
  return (
    <section
      aria-label="Conversation"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-panel px-3 py-1 text-[13px] text-quiet desk:px-4"
    >
      {step.name === 'offer' && (
        <>
          <p className="min-w-0 flex-1">
            {state === 'guessed' ? 'This may be another conversation than the one shown.' : 'Conversation not known.'}
          </p>
          <Button ref={offer} variant="quiet" onClick={look}>
            Find it…
          </Button>
        </>
      )}
      {step.name === 'asking' && (
        <>
          <div className="min-w-0 flex-1 basis-72 py-1.5">
            <p>
              To find it, this is typed into Claude Code’s prompt and sent, once nobody types. It costs a turn, and
              stays in the conversation:
            </p>
            <p className="mt-1 font-mono text-ink [overflow-wrap:anywhere]">{step.proposal.message}</p>
          </div>
          <Button variant="primary" busy={step.isBusy} onClick={() => find(step.proposal)}>
            Type and send it
          </Button>
          <Button off={step.isBusy} onClick={close}>
            Cancel
          </Button>
        </>
      )}
      {step.name === 'told' && (
        <>
          <p role="alert" className="min-w-0 flex-1 basis-60 py-1.5 text-wait">
            {step.words}
          </p>
          <Button onClick={close}>Close</Button>
        </>
      )}
    </section>
  )
}
