import type { AskRecord } from '@holdpoint/core/store'
import { maskedValue, maskSecrets } from '@holdpoint/core/text/secrets'
import { render } from '@holdpoint/core/text/visible-text'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { publicOutcome } from '../stream/public-outcome.ts'

/** An entry of a thread; an ask comes with what was asked and answered. */
export type ExportedEntry = Exclude<Item, { type: 'ask' }> | AskRecord

/** How a thread is written, piece by piece, oldest entry first. Secrets are masked: a file goes where the record does not (T44). */
export interface ThreadFormat {
  readonly contentType: string
  begin(session: Session): string
  entry(entry: ExportedEntry, isFirst: boolean): string
  readonly end: string
}

const json: ThreadFormat = {
  contentType: 'application/json; charset=utf-8',
  begin: (session) => `{"session":${JSON.stringify(maskedValue(session))},"entries":[`,
  entry(entry, isFirst) {
    const shown = 'ask' in entry ? { type: 'ask', ...askOf(entry) } : entry
    return `${isFirst ? '' : ','}\n${JSON.stringify(maskedValue(shown))}`
  },
  end: '\n]}\n',
}

function askOf({ ask, outcome }: AskRecord) {
  const { remember: _, ...kept } = ask
  if (!outcome) return { ask: kept }
  const { answer } = outcome
  const { remember: __, ...given } = answer ?? {}
  return { ask: kept, outcome: publicOutcome({ ...outcome, ...(answer && { answer: given }) }) }
}

/**
 * Every line of what somebody wrote stands in a quotation, so that none can pass for one of our headings; what cannot be
 * seen is written as an escape.
 */
const markdown: ThreadFormat = {
  contentType: 'text/markdown; charset=utf-8',
  begin: ({ title, cwd, startedAt, id }) =>
    `# ${inLine(title)}\n\nSession \`${id}\` in ${code(cwd)}, begun ${time(startedAt)}. Secrets are masked.\n`,
  entry(entry) {
    if ('ask' in entry) return part('Ask', entry.ask.raisedAt, askWords(entry))
    const by = entry.subagent === undefined ? '' : ' (subagent)'
    switch (entry.type) {
      case 'message':
        return part(entry.role === 'user' ? 'Person' : `Agent${by}`, entry.at, visible(entry.text))
      case 'thinking':
        return part(`Thinking${by}`, entry.at, visible(entry.text))
      case 'notice':
        return part(entry.level === 'error' ? 'Error' : 'Note', entry.at, visible(entry.text))
      case 'tool-call':
        return part(`Call${by}`, entry.at, `${code(entry.name)}\n\n${fenced(inputText(entry.input), 'json')}`)
      case 'tool-result':
        return part(entry.isError ? 'Result (error)' : 'Result', entry.at, resultText(entry))
      default:
        return entry satisfies never
    }
  },
  end: '',
}

export function threadFormat(name: 'md' | 'json'): ThreadFormat {
  return name === 'json' ? json : markdown
}

/** A name that is safe in a header, in a shell and on every disk. */
export function exportName({ title, id }: Pick<Session, 'title' | 'id'>, format: 'md' | 'json'): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
  const name = words.replaceAll(/^-+|-+$/g, '')
  return `holdpoint-${name === '' ? id : name}.${format}`
}

function part(who: string, at: number, text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  return `\n### ${who}, ${time(at)}\n\n${lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')}\n`
}

function askWords({ ask, outcome }: AskRecord): string {
  const asked = [ask.title, ...(ask.questions?.map(({ question }) => question) ?? []), ask.plan?.text]
  const by = outcome?.by ? ` by ${outcome.by.name}` : ''
  const message = outcome?.answer?.message
  const ended = [outcome ? `${outcome.kind}${by}` : 'waits', typeof message === 'string' ? message : undefined]
  const words = [...asked, `Outcome: ${ended.filter((text) => text !== undefined).join(': ')}`]
  return words.flatMap((text) => (text === undefined ? [] : [visible(text)])).join('\n\n')
}

function resultText({ text, omitted = 0 }: Extract<Item, { type: 'tool-result' }>): string {
  const rest = omitted > 0 ? `\n\n${omitted} more characters were not kept.` : ''
  return (text === '' ? 'No output.' : fenced(text)) + rest
}

function inputText(input: unknown): string {
  return JSON.stringify(maskedValue(input), undefined, 2) ?? ''
}

/** In a fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${visible(text)}\n${fence}`
}

function code(text: string): string {
  const shown = inLine(text)
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([marks]) => marks.length))
  const marks = '`'.repeat(longest + 1)
  return longest > 0 ? `${marks} ${shown} ${marks}` : `${marks}${shown}${marks}`
}

function visible(text: string): string {
  return render(maskSecrets(text), { multiline: true })
}

/** A heading or a path: one line. */
function inLine(text: string): string {
  return render(maskSecrets(text))
}

function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
