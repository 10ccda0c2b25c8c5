import { raiserOf } from '@holdpoint/core/call-facts'
import { PROGRAM_AGENT } from '@holdpoint/core/program-agent'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { Arming } from '../arming/arming.tsx'
import { useOnScreen } from '../arming/ends-seen.tsx'
import type { AnswerState } from '../asks/answer-state.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { isTyping, TEXT_FIELDS } from '../ui/typing.tsx'
import type { AskCardProps } from './ask-card.tsx'
import { CardMeta } from './card-meta.tsx'
import { headingOf } from './heading.ts'
import { NoticeLine } from './notice-line.tsx'
import { RaisedByLine } from './raised-by.tsx'

/** What every open card gets: the card's properties with its state known and not settled. */
export interface OpenCardProps extends Omit<AskCardProps, 'state'> {
  readonly state: Exclude<AnswerState, { outcome: unknown }>
}

interface CardFrameProps {
  readonly card: OpenCardProps
  readonly arming: Arming
  readonly children: ReactNode
  /** A key on the card itself, not in one of its text fields or dialogs, without Ctrl, Alt or Meta. */
  onKey(event: KeyboardEvent): void
  /** Ctrl+Enter on the card itself or in one of its fields; buttons and links keep it. */
  onSubmit?(event: KeyboardEvent): void
}

/** An open card's chrome: whose it is, what it is about, and the keys. */
export function CardFrame({ card, arming, onKey, onSubmit, children }: CardFrameProps) {
  const { ask, session, state, now, selection } = card
  const article = useRef<HTMLElement>(null)
  const heading = useId()
  const tall = useTall(article)
  useOnScreen(article, card.onSeen)
  return (
    <article
      ref={article}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the card itself takes the keys a, d, e, r and 1 to 9.
      tabIndex={0}
      aria-labelledby={heading}
      data-ask-id={ask.id}
      data-kind={ask.kind}
      data-tall={tall || undefined}
      data-state={state.kind === 'pending' && !arming.armed ? 'arming' : state.kind}
      onFocus={(event) => {
        // A key that was meant for the card before must not decide this one.
        if (event.target === event.currentTarget) arming.disturb()
      }}
      onKeyDown={(event) => {
        if (isForCard(event)) onKey(event)
        else if (isSubmit(event)) onSubmit?.(event)
      }}
      className="group/card min-w-0 rounded-xl border border-line bg-card text-sm text-ink shadow-card outline-offset-2 focus-visible:outline-2 focus-visible:outline-accent"
    >
      <CardMeta
        ask={ask}
        session={card.underSession ? undefined : session}
        machine={card.underSession ? undefined : card.machine}
        sessionCwd={session?.cwd}
        now={now}
        selection={selection}
      />
      <NoticeLine notices={card.notices} raisedAt={ask.raisedAt} now={now} />
      <RaisedByLine raiser={raiserOf(ask)} alone={ask.agent === PROGRAM_AGENT} className="px-4 pt-1" />
      <CardHeading id={heading} ask={ask} session={session} />
      {/* The buttons that stick stay inside this: they never cover whose card it is. */}
      <div>{children}</div>
    </article>
  )
}

interface CardHeadingProps {
  readonly id: string
  readonly ask: Ask
  readonly session: Session | undefined
}

function CardHeading({ id, ask, session }: CardHeadingProps) {
  const { tool, subject, exact } = headingOf(ask)
  return (
    <h3 id={id} className="px-4 pt-1 pb-2.5 text-[15px] leading-snug font-semibold wrap-anywhere">
      <span className="sr-only">Needs answer: </span>
      <VisibleText text={tool} code className="text-wait" />
      {subject !== undefined && (
        <>
          {' '}
          <VisibleText text={subject} code={exact} className={exact ? 'font-mono text-[13.5px]' : ''} />
        </>
      )}
      {session && (
        <span className="sr-only">
          {' in '}
          <VisibleText text={session.title} />
        </span>
      )}
    </h3>
  )
}

/**
 * Letters that a person is typing decide nothing, however the card got the focus: between a text field and a card's keys
 * there is always an action of the person, such as Tab or a press. When the focus comes from another card that was just
 * answered with its keys, the wait before arming keeps a key that was meant for that card from deciding here.
 */
function isForCard(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping()) return false
  return !(event.target instanceof Element && event.target.closest(`${TEXT_FIELDS}, dialog`))
}

function isSubmit(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return false
  return !isButton(event)
}

/** Whether Enter has a meaning of its own where it was pressed. */
export function isButton({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('button, a, summary, dialog') !== null
}

/** Above this part of the window's height a card's buttons can be out of sight. */
const TALL = 0.6

function useTall(article: RefObject<HTMLElement | null>): boolean {
  const [tall, setTall] = useState(false)
  useEffect(() => {
    const element = article.current
    if (!element) return
    const observer = new ResizeObserver(() => setTall(element.offsetHeight > window.innerHeight * TALL))
    observer.observe(element)
    return () => observer.disconnect()
  }, [article])
  return tall
}
