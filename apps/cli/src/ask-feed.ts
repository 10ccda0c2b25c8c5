import type { Ask, Question } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { ServerFrame, SnapshotPart } from '@holdpoint/schema/stream'
import { shortId } from './abbreviation.ts'
import { shortened, type Width, wrapped } from './console/fence.ts'
import { terminalText } from './console/terminal-text.ts'
import { timeWords } from './console/time-words.ts'
import { hasOptionNumbers } from './option-numbers.ts'
import { briefOutcomeWords } from './outcome-words.ts'

/** What the lines are made of. A long snapshot comes in parts, of which the last one has a place in the log. */
export type FeedEvent = FrameOf<'snapshot'> | FrameOf<'snapshot-part'> | DurableEvent
type FrameOf<Type> = Lists & Pick<Extract<ServerFrame, { type: Type }>, 'type'> & { readonly seq?: number | undefined }
type Lists = Pick<SnapshotPart, 'sessions' | 'asks'>

/** What somebody wrote is cut here: these lines are for a glance, and "holdpoint asks ID" has all of it. */
const TEXT_LIMIT = 200
const TITLE_COLUMNS = 60
/** Less than this says nothing. */
const FEWEST_TITLE_COLUMNS = 12

/** Turns a stream of events into lines about asks. After a gap the next snapshot says only what is new. */
export function createAskFeed({ now, width }: { now: () => number; width: () => Width }) {
  const titles = new Map<string, string>()
  const open = new Map<string, Ask>()
  let parts: Lists[] = []

  return {
    hear(event: FeedEvent): string[] {
      switch (event.type) {
        case 'snapshot':
          return hearSnapshot(event)
        case 'snapshot-part':
          return hearPart(event)
        case 'session-started':
          titles.set(event.sessionId, event.session.title)
          return []
        case 'session-changed':
          if (event.changes.title !== undefined) titles.set(event.sessionId, event.changes.title)
          return []
        case 'ask-raised':
          return raised(event.ask)
        case 'ask-settled': {
          const words = briefOutcomeWords(event.outcome, {
            ask: open.get(event.askId),
            limit: TEXT_LIMIT,
          })
          return done(event.at, event.askId, words)
        }
        default:
          return []
      }
    },
  }

  function hearPart(part: FrameOf<'snapshot-part'>): string[] {
    parts.push(part)
    if (part.seq === undefined) return []
    const whole = { sessions: parts.flatMap(({ sessions }) => sessions), asks: parts.flatMap(({ asks }) => asks) }
    parts = []
    return hearSnapshot(whole)
  }

  function hearSnapshot({ sessions, asks }: Lists): string[] {
    for (const session of sessions) titles.set(session.id, session.title)
    const current = new Set<string>(asks.map((ask) => ask.id))
    const settled = [...open.keys()].filter((id) => !current.has(id))
    return [
      ...settled.flatMap((id) => done(now(), id, 'settled while the connection was lost')),
      ...asks.flatMap(raised),
    ]
  }

  function raised(ask: Ask): string[] {
    if (open.has(ask.id)) return []
    open.set(ask.id, ask)
    const { columns } = width()
    const session = terminalText(titles.get(ask.sessionId) ?? ask.sessionId)
    const line = `${head(ask.raisedAt, 'open', ask.id)}${ask.kind}  ${session}: ${terminalText(ask.title)}`
    const { questions = [] } = ask
    return [
      columns === undefined ? line : shortened(line, columns),
      ...questions.flatMap((question, index) => below(optionWords(question, questions.length > 1 ? index + 1 : 0))),
    ]
  }

  function done(at: number, id: string, words: string): string[] {
    const ask = open.get(id)
    open.delete(id)
    const { columns = Number.POSITIVE_INFINITY } = width()
    const room = Math.min(columns - INDENT.length - words.length - '  ()'.length, TITLE_COLUMNS)
    const isNamed = ask !== undefined && room >= FEWEST_TITLE_COLUMNS
    const what = isNamed ? `  (${shortened(terminalText(ask.title), room)})` : ''
    return wrapped(words + what, { ...width(), first: head(at, 'done', id), next: CONTINUED })
  }

  function below(words: string): string[] {
    return wrapped(words, { ...width(), first: INDENT, next: CONTINUED })
  }
}

function head(at: number, what: 'open' | 'done', id: string): string {
  return `${timeWords(at).slice(11)}  ${what}  ${shortId(id)}  `
}

const INDENT = ' '.repeat(24)
const CONTINUED = `${INDENT.slice(2)}┆ `

/** What to give to `answer --choose`. */
function optionWords(question: Question, number: number): string {
  const isNumbered = hasOptionNumbers(question)
  const options = question.options.map(({ label }, index) => {
    const shown = shortened(terminalText(label), TITLE_COLUMNS)
    return isNumbered ? `${index + 1} ${shown}` : shown
  })
  return `${number === 0 ? '' : `question ${number}: `}${options.join(' · ')}`
}
