import type { Ask, AskKind } from '@holdpoint/schema/ask'
import type { NoticeContent, NoticeKind } from '@holdpoint/schema/notification'
import type { Outcome } from '@holdpoint/schema/outcome'
import { whyAlone } from '../allowed-alone.ts'
import { noAnswerWord } from '../no-answer-word.ts'
import { projectName } from '../text/project-name.ts'
import { maskSecrets } from '../text/secrets.ts'
import { render } from '../text/visible-text.ts'

export interface NoticeWords {
  readonly title: string
  readonly body: string
}

/** The session that a notice is about, as far as its words need it. */
export interface NoticeSession {
  readonly agent: string
  /** Left out where it is not known. */
  readonly title?: string | undefined
  readonly cwd?: string | undefined
}

const KINDS: Readonly<Record<Exclude<AskKind, 'approval'>, string>> = {
  question: 'A question',
  plan: 'A plan',
  form: 'A form',
}

const EVENTS: Readonly<Record<Exclude<NoticeKind, 'ask'>, string>> = {
  finished: 'A session has ended',
  failed: 'A session has failed',
  message: 'An agent waits for a message',
  alarm: 'Alarm: something ran that nobody allowed',
}

const SETTLED = { expired: 'Expired: nobody answered in time.', withdrawn: 'Withdrawn: no answer is needed any more.' }

/** What takes the place of the notice of several asks when all of them are settled. */
export const ALL_SETTLED_WORDS: NoticeWords = { title: 'Holdpoint', body: 'Nothing waits for your answer any more.' }

const NOTHING: NoticeWords = { title: 'Holdpoint', body: 'Something needs your answer.' }
/** Characters that a notification shows whole on any phone. */
const LONGEST_WHOLE = 160
/** One space at a time: behind many of them a phone shows no end. */
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

/**
 * One ask, from the facts alone: the tool and the session, with secrets masked (T44). The agent's words stay inside the app,
 * where they are fenced.
 */
export function askWords(ask: Ask, session: NoticeSession, content: NoticeContent): NoticeWords {
  if (content === 'nothing') return NOTHING
  const tool = ask.tool ? (ask.tool.displayName ?? ask.tool.name) : 'A tool'
  const title = `${ask.kind === 'approval' ? render(tool) : KINDS[ask.kind]} needs your answer`
  const place = placeWords(session)
  if (content === 'names') return { title, body: place }
  const whole = wholeCommand(ask)
  if (whole !== undefined) return { title, body: whole }
  const text = ask.context.command ?? ask.context.filePath ?? ask.context.url ?? ask.questions?.[0]?.question
  const shown = text === undefined ? undefined : render(maskSecrets(text), { prose: true }).slice(0, LONGEST_WHOLE)
  return { title, body: shown === undefined ? place : `${shown} …\n${place}` }
}

/**
 * The command and its folder, where a notification shows all of what an allow would run: short, of plain characters, no
 * secret in it, no file besides, nothing that opens on No. A notification can have the button *Allow* only then (T58).
 */
export function wholeCommand(ask: Ask): string | undefined {
  const { command, cwd } = ask.context
  if (ask.kind !== 'approval' || ask.raisedBy !== undefined || ask.tool?.mcpServer !== undefined) return undefined
  if (command === undefined || cwd === undefined || ask.tool?.input.command !== command) return undefined
  const others = Object.keys(ask.tool.input).filter((name) => name !== 'command' && name !== 'description')
  if (others.length > 0 || ask.filesUnknown !== undefined || (ask.files?.length ?? 0) > 0) return undefined
  if (whyAlone(ask) !== undefined) return undefined
  const text = `${command}\nin ${cwd}`
  const isPlain = [command, cwd].every(
    (part) => PLAIN.test(part) && render(part) === part && maskSecrets(part) === part,
  )
  return isPlain && text.length <= LONGEST_WHOLE ? text : undefined
}

/** Several asks in one notice. */
export function manyAsksWords(
  asks: readonly { readonly ask: Ask; readonly session: NoticeSession }[],
  content: NoticeContent,
): NoticeWords {
  const title = `${asks.length} asks need your answer`
  if (content === 'nothing') return { ...NOTHING, body: `${title}.` }
  const counts = new Map<string, number>()
  for (const { session } of asks) counts.set(placeWords(session), (counts.get(placeWords(session)) ?? 0) + 1)
  const lines = [...counts].slice(0, 4).map(([place, count]) => `${place}: ${count}`)
  return { title, body: [...lines, ...(counts.size > 4 ? ['…'] : [])].join('\n') }
}

/** What takes the place of the notice of one ask that is settled. Only an answer is told as one. */
export function settledWords(
  content: NoticeContent,
  { kind, by, answer }: Pick<Outcome, 'kind' | 'by' | 'answer'>,
): NoticeWords {
  if (kind === 'expired' || kind === 'withdrawn') return { title: 'Holdpoint', body: SETTLED[kind] }
  const who = content === 'nothing' || by === undefined ? '' : ` by ${render(by.name, { prose: true })}`
  return {
    title: 'Holdpoint',
    body: `${noAnswerWord(undefined, answer?.kind) === undefined ? 'Answered' : 'Closed without an answer'}${who}.`,
  }
}

/** What is left of a notice where nothing of it may be read any more. */
export function wordsOfNothing(notice: { readonly kind: NoticeKind | 'test'; readonly silent: boolean }): NoticeWords {
  if (notice.kind === 'ask' && !notice.silent) return NOTHING
  return { ...NOTHING, body: 'Something has changed.' }
}

/** Something besides asks. */
export function eventWords(
  kind: Exclude<NoticeKind, 'ask'>,
  session: NoticeSession,
  content: NoticeContent,
): NoticeWords {
  if (content === 'nothing') return { ...NOTHING, body: 'Something happened in a session.' }
  return { title: EVENTS[kind], body: placeWords(session) }
}

function placeWords(session: NoticeSession): string {
  return [session.title, projectName(session)]
    .filter((part) => part !== undefined)
    .map((part) => render(maskSecrets(part), { prose: true }).slice(0, 80))
    .join(' · ')
}
