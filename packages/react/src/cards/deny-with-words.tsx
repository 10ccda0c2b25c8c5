import type { Ask } from '@holdpoint/schema/ask'
import { useEffect, useMemo } from 'react'
import { ArmedArea, ArmedButton, useArming } from '../arming/arming.tsx'
import { isSettled } from '../asks/answer-state.ts'
import { useAnswering } from '../hooks/use-answering.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { lineWords } from './line-words.ts'

interface DenyWithWordsProps {
  readonly ask: Ask
  readonly words: string
  /** Why these words cannot be sent as a no just now. */
  readonly why: string | undefined
  onPress(): void
  /** The ask has an outcome; `told` are these words if they are in it. */
  onSettled(told: string | undefined): void
}

/** Whether the agent reads words that come with a no to this ask, and all of the ask is here to be bound to. */
export function takesWords(ask: Ask): boolean {
  return (ask.kind === 'approval' || ask.kind === 'plan') && ask.appeal === undefined && ask.omitted === undefined
}

/**
 * A no that says what to do instead, with the ask that it is for. Bound to that ask and its digest, and armed as the
 * buttons of a card are: what has just come or moved decides nothing.
 */
export function DenyWithWords({ ask, words, why, onPress, onSettled }: DenyWithWordsProps) {
  const arming = useArming(`${ask.id} ${ask.digest}`)
  const { state, answer } = useAnswering(ask)
  const isOver = isSettled(state)
  const pressed = isOver && state.kind === 'settled-here' ? state.pressed : undefined
  const told = pressed?.kind === 'deny' ? pressed.message : undefined
  useEffect(() => {
    if (isOver) onSettled(told)
  }, [isOver, told, onSettled])
  const isUnderWay = state.kind === 'submitting'
  const { tool, text, isCode } = useMemo(() => lineWords(ask), [ask])
  return (
    <>
      <ArmedArea arming={arming} className="min-w-0 grow sm:grow-0">
        <ArmedButton
          variant="deny"
          off={why !== undefined || isUnderWay || isOver}
          why={why}
          busy={isUnderWay && state.answer.kind === 'deny'}
          onPress={() => {
            onPress()
            answer({ kind: 'deny', digest: ask.digest, message: words })
          }}
          className="w-full"
        >
          Deny with these words
        </ArmedButton>
      </ArmedArea>
      <p className="order-first min-w-0 basis-full truncate text-[13px] text-quiet sm:flex-1 sm:basis-0">
        Waits: <VisibleText text={tool} code className="font-medium text-wait" />{' '}
        <VisibleText text={text} code={isCode} joinLines className={isCode ? 'font-mono text-xs' : ''} />
      </p>
      {state.kind === 'failed' && (
        <p role="alert" className="basis-full text-[13px] text-deny">
          <VisibleText text={state.message} />
        </p>
      )}
    </>
  )
}
