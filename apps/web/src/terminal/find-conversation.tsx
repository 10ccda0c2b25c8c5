import { Button } from '@holdpoint/react/ui/button'
import type { ConversationState } from '@holdpoint/schema/terminal-stream'
import { useEffect, useRef, useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import type { ConversationCalls, ConversationMessage } from './conversation-calls.ts'

type Step =
  | { readonly name: 'offer' }
  /** Nothing has been typed. */
  | { readonly name: 'asking'; readonly proposal: ConversationMessage; readonly isBusy: boolean }
  | { readonly name: 'failed'; readonly words: string }

const OFFER: Step = { name: 'offer' }
const NOT_FOUND =
  'The message was sent, but no conversation on this machine contains it. The conversation is still unknown.'

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
      result.ok ? { name: 'asking', proposal: result.value, isBusy: false } : { name: 'failed', words: result.message },
    )
  }
  async function find(proposal: ConversationMessage) {
    setStep({ name: 'asking', proposal, isBusy: true })
    const result = await settle(calls.find(proposal.marker))
    if (!result.ok) return setStep({ name: 'failed', words: result.message })
    setStep(result.value.found ? OFFER : { name: 'failed', words: NOT_FOUND })
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
            {state === 'guessed' ? 'The thread may be that of another conversation.' : 'Conversation unknown.'}
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
              To find it, Holdpoint types this message into Claude Code’s prompt and sends it, when nobody is typing. It
              costs one turn and stays in the conversation:
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
      {step.name === 'failed' && (
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
