/** What is being written at the cursor that can be completed, and which part of the text it takes. */
export interface Completing {
  readonly kind: 'command' | 'file'
  readonly typed: string
  readonly from: number
  readonly to: number
}

/** A command is the first word of a message; a file begins with @ wherever a word does. */
export function completingAt(text: string, cursor: number): Completing | undefined {
  const before = text.slice(0, cursor)
  const rest = /^[^\s"]*/.exec(text.slice(cursor))?.[0].length ?? 0
  const command = /^\/([^\s/]*)$/.exec(before)?.[1]
  if (command !== undefined) return { kind: 'command', typed: command, from: 0, to: cursor + rest }
  const file = /(?:^|\s)@("[^"\n]*|[^\s"@]*)$/.exec(before)?.[1]
  if (file === undefined) return undefined
  const isQuoted = file.startsWith('"')
  const end = isQuoted ? (/^[^"\n]*"?/.exec(text.slice(cursor))?.[0].length ?? 0) : rest
  return { kind: 'file', typed: isQuoted ? file.slice(1) : file, from: cursor - file.length - 1, to: cursor + end }
}

/** Agents read these as they are. Everything else goes between quotes. */
const PLAIN = /^(?!agent-)[\w./-]*[\w/]$/
/**
 * Hidden and reordering characters would make the person's own message another one than it looks; a quote ends the name,
 * and what follows # is taken for a place in the file.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"#]| \(agent\)$/u

/** How a file is named in a message, undefined where it cannot be without being taken for something else. */
export function mentionOf(path: string): string | undefined {
  if (UNSAFE.test(path)) return undefined
  if (PLAIN.test(path)) return `@${path}`
  // The name of a folder goes on.
  return path.endsWith('/') ? `@"${path}` : `@"${path}"`
}

export interface Insertion {
  readonly text: string
  readonly cursor: number
}

/** Puts what was chosen in the place of what was typed. Nothing follows a folder: its files may. */
export function insert(text: string, { from, to }: Completing, chosen: string): Insertion {
  const rest = text.slice(to)
  const isFolder = chosen.startsWith('@') && chosen.endsWith('/')
  const gap = isFolder || /^\s/.test(rest) ? '' : ' '
  const written = text.slice(0, from) + chosen + gap
  return { text: written + rest, cursor: written.length + (!isFolder && gap === '' ? 1 : 0) }
}

/** The one with this name, those whose names begin with what was typed, then those that have it elsewhere. */
export function fittingCommands<Command extends { readonly name: string }>(
  commands: readonly Command[],
  typed: string,
): Command[] {
  const wanted = typed.toLowerCase()
  const rank = ({ name }: Command) => {
    const at = name.toLowerCase().indexOf(wanted)
    return name === typed ? 0 : at === 0 ? 1 : 2
  }
  const has = commands.filter(({ name }) => name.toLowerCase().includes(wanted))
  return has.sort((one, other) => rank(one) - rank(other))
}
