import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { type ComponentType, createContext, type ReactNode, useContext, useMemo } from 'react'

/** What a person fills in: the fields of the ask's form by name. */
export type FormValue = Readonly<Record<string, unknown>>
/** What a person chooses: one entry for each question, by its place. */
export type QuestionValue = Extract<Answer, { kind: 'answer' }>['answers']

/**
 * The inside of a card. It says what the person wants to send; it cannot send it. Whose card it is, the rest of the
 * call, the buttons, their arming and the digest are around it.
 */
export interface CardContentProps<Value> {
  readonly ask: Ask
  readonly session: Session | undefined
  /** As it was last given to `onChange`; undefined to begin with. */
  readonly value: Value | undefined
  /** Nothing can be changed now. */
  readonly off: boolean
  /** Undefined takes it back: there is nothing to send then. */
  onChange(value: Value | undefined): void
}

interface Entry<Kind extends Ask['kind'], Value> {
  readonly kind: Kind
  matches(ask: Ask): boolean
  /** Where it throws, the standard card of the kind is shown. */
  readonly Card: ComponentType<CardContentProps<Value>>
}

/**
 * A card of an app's own for some asks of a kind. Approvals and plans have none: what an allow would run is shown whole,
 * by the standard card.
 */
export type CardEntry = Entry<'form', FormValue> | Entry<'question', QuestionValue>

const KINDS: ReadonlySet<string> = new Set(['form', 'question'] satisfies CardEntry['kind'][])
const NONE: readonly CardEntry[] = []
const CardsContext = createContext(NONE)

/** Adds cards for everything below it, in front of those from above. */
export function CardsProvider({ cards = NONE, children }: CardsProviderProps) {
  const above = useContext(CardsContext)
  const all = useMemo(() => (above.length === 0 ? cards : [...cards, ...above]), [cards, above])
  return <CardsContext value={all}>{children}</CardsContext>
}

interface CardsProviderProps {
  readonly cards?: readonly CardEntry[] | undefined
  readonly children: ReactNode
}

/** The first added card that takes this ask. */
export function useCardEntry(ask: Ask): CardEntry | undefined {
  const cards = useContext(CardsContext)
  return KINDS.has(ask.kind) ? cards.find((entry) => entry.kind === ask.kind && takes(entry, ask)) : undefined
}

/** One that cannot tell is passed over: it must not keep the ask from its standard card. */
function takes(entry: CardEntry, ask: Ask): boolean {
  try {
    return entry.matches(ask)
  } catch {
    return false
  }
}
