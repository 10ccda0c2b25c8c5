import { terminalJson, terminalText } from './console/terminal-text.ts'

type Given = Readonly<Record<string, unknown>>

/**
 * What an answer says besides its kind, in the order that people care about, and all of it. With a limit, long texts are
 * cut to so many characters, with a mark that says so.
 */
export function answerDetails(answer: Given, limit = Number.POSITIVE_INFINITY): string[] {
  const {
    kind: _,
    digest: __,
    message,
    answers,
    updatedInput,
    plan,
    content,
    remember,
    permissionMode,
    ...rest
  } = answer
  const { interrupt, ...unknown } = rest
  const json = (value: unknown) => (typeof value === 'string' ? quoted(value, limit) : cut(terminalJson(value), limit))
  const details = [
    message !== undefined && json(message),
    answers !== undefined && (choices(answers, limit) ?? json(answers)),
    updatedInput !== undefined && `with the input ${json(updatedInput)}`,
    plan !== undefined && `with the plan ${json(plan)}`,
    content !== undefined && (fields(content, json) ?? json(content)),
    remember !== undefined && rememberWords(remember),
    permissionMode !== undefined && `in mode ${json(permissionMode)}`,
    interrupt === true && 'and the turn ended',
    Object.keys(unknown).length > 0 && json(unknown),
  ]
  return details.filter((detail) => typeof detail === 'string')
}

function choices(answers: unknown, limit: number): string | undefined {
  if (!Array.isArray(answers)) return undefined
  const given = answers.map((entry: { selected?: unknown; other?: unknown } | null) => {
    const selected = Array.isArray(entry?.selected) ? entry.selected.map((label) => quoted(String(label), limit)) : []
    const other = typeof entry?.other === 'string' && entry.other.trim() !== '' ? [quoted(entry.other, limit)] : []
    return [...selected, ...other.map((words) => `in own words ${words}`)].join(', ')
  })
  return given.length === 1 ? given[0] : given.map((words, index) => `${index + 1}: ${words}`).join('; ')
}

function fields(content: unknown, json: (value: unknown) => string): string | undefined {
  if (typeof content !== 'object' || content === null) return undefined
  const entries = Object.entries(content)
  return entries.length === 0
    ? undefined
    : entries.map(([name, value]) => `${terminalText(name)}=${json(value)}`).join(', ')
}

function rememberWords(remember: unknown): string {
  const { scope, ...more } = (remember ?? {}) as { scope?: unknown }
  const words: Readonly<Record<string, string>> = {
    session: 'remembered for the session',
    project: 'remembered for the project',
    everywhere: 'remembered everywhere',
  }
  const where = words[String(scope)] ?? `remembered for ${terminalText(String(scope))}`
  return Object.keys(more).length === 0 ? where : `${where} ${terminalJson(more)}`
}

/** As JSON quotes it: nobody's words can end the quotation by themselves. */
function quoted(text: string, limit: number): string {
  return terminalJson(cut(text, limit))
}

function cut(text: string, limit: number): string {
  const characters = text.length > limit ? [...text] : []
  return characters.length > limit ? `${characters.slice(0, limit).join('')}...` : text
}
