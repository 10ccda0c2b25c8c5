import { inCode } from './in-code.ts'

/** A word as it is written in a line, and what a shell makes of it. */
export interface ShapeWord {
  /** As a program gets it; of a glob: as it is written, without quotes. */
  readonly text: string
  readonly isGlob: boolean
  /** Whether it is written without quotes and escapes. */
  readonly isBare: boolean
}

export type ShapeToken =
  | { readonly word: ShapeWord }
  | { readonly redirect: string; readonly target: ShapeWord | undefined }
  | { readonly join: ';' | '&&' | '||' | '|' | '!' }

export type Shape = { readonly tokens: readonly ShapeToken[] } | { readonly why: string }

class Unknown extends Error {}

const MAX_LENGTH = 10_000
/** All that is no space or line feed, and that people do not see: controls, other blanks, marks of direction, halves of a pair. */
const UNSEEN = /[^\P{C}\n]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/u
/** They end a word. */
const BREAKS = ' \n;&|<>()'
/** If one of these follows, a `$` in double quotes is a plain dollar sign in every shell. */
const AFTER_DOLLAR = '" |)'

/**
 * Reads a line that has one of the shapes that a rule may allow: simple commands of plain or quoted words, joined by
 * `&&`, `||`, `;`, `|` or line feeds. The second of two readers: `shellParts` compares it with the parser's. It knows what
 * is fine, in every shell, and nothing else. So these are refused too, which bash alone would read in one way only:
 * comments, a tab or a line break inside quotes, `$'…'`, escaped letters, `!` in double quotes, braces, `=name`.
 */
export function shapeOf(line: string): Shape {
  if (line.length > MAX_LENGTH) return { why: 'The command is too long to be judged.' }
  const unseen = UNSEEN.exec(line)
  if (unseen) return { why: `The command has an invisible or unusual character (${codeOf(unseen[0])}).` }
  try {
    return { tokens: tokensOf(line) }
  } catch (error) {
    if (error instanceof Unknown) return { why: error.message }
    throw error
  }
}

function tokensOf(line: string): ShapeToken[] {
  const tokens: ShapeToken[] = []
  let at = 0
  /** Nothing of a command has been read yet. */
  let isStart = true

  function join(operator: '&&' | '||' | '|') {
    if (isStart) throw new Unknown(`A command is missing before \`${operator}\`.`)
    tokens.push({ join: operator })
    at += operator.length
    isStart = true
  }

  while (at < line.length) {
    const character = line.charAt(at)
    const two = line.slice(at, at + 2)
    if (character === ' ') at++
    else if (character === '\n') {
      at++
      if (isStart) continue
      tokens.push({ join: ';' })
      isStart = true
    } else if (character === ';') {
      if (isStart) throw new Unknown('A command is missing before `;`.')
      tokens.push({ join: ';' })
      at++
      isStart = true
    } else if (two === '&&' || two === '||') join(two)
    else if (two === '|&') throw new Unknown('`|&` cannot be allowed by a rule.')
    else if (character === '|') join('|')
    else if (character === '&') throw new Unknown('`&` runs a command in the background.')
    else if (character === '<' || character === '>') {
      at = redirect(line, at, '', tokens)
      isStart = false
    } else if (isStart && character === '!' && line.charAt(at + 1) === ' ') {
      if (isNegated(tokens)) throw new Unknown('`! !` cannot be allowed by a rule.')
      tokens.push({ join: '!' })
      at++
    } else {
      const { word, end } = wordAt(line, at)
      const isDescriptor = word.isBare && /^\d+$/.test(word.text) && /[<>]/.test(line.charAt(end))
      if (isDescriptor) at = redirect(line, end, word.text, tokens)
      else {
        tokens.push({ word })
        at = end
      }
      isStart = false
    }
  }
  const last = tokens.at(-1)
  if (last && 'join' in last) {
    if (last.join !== ';') throw new Unknown(`A command is missing after \`${last.join}\`.`)
    tokens.pop()
  }
  if (tokens.length === 0) throw new Unknown('There is no command.')
  return tokens
}

function isNegated(tokens: readonly ShapeToken[]): boolean {
  const last = tokens.at(-1)
  return last !== undefined && 'join' in last && last.join === '!'
}

function redirect(line: string, start: number, descriptor: string, tokens: ShapeToken[]): number {
  const both = /^>&([12])(?=$|[ \n;|&])/.exec(line.slice(start, start + 4))
  if (both && /^[12]?$/.test(descriptor)) {
    tokens.push({ redirect: `${descriptor}${both[0]}`, target: undefined })
    return start + 3
  }
  const [operator = ''] = /^(>>|>|<)(?![<>&|(])/.exec(line.slice(start, start + 3)) ?? []
  if (operator === '') throw new Unknown(`${inCode(redirectWords(line, start))} cannot be allowed by a rule.`)
  if (!(operator === '<' ? /^0?$/ : /^[12]?$/).test(descriptor)) {
    throw new Unknown(`A redirection of descriptor ${descriptor} cannot be allowed by a rule.`)
  }
  let at = start + operator.length
  while (line.charAt(at) === ' ') at++
  if (at >= line.length || BREAKS.includes(line.charAt(at)))
    throw new Unknown(`A file name is missing after \`${operator}\`.`)
  const { word, end } = wordAt(line, at)
  if (word.isGlob) throw new Unknown(`The file after \`${operator}\` is known only at run time.`)
  if (/[<>]/.test(line.charAt(end)) && /^\d+$/.test(word.text))
    throw new Unknown('There is no space between two redirections.')
  tokens.push({ redirect: `${descriptor}${operator}`, target: word })
  return end
}

function redirectWords(line: string, start: number): string {
  const [operator = ''] = /^[<>&|(]{1,3}/.exec(line.slice(start)) ?? []
  return operator.startsWith('<(') || operator.startsWith('>(') ? `${operator.slice(0, 2)}…)` : operator
}

function wordAt(line: string, start: number): { word: ShapeWord; end: number } {
  let text = ''
  let isGlob = false
  let isBare = true
  let at = start
  while (at < line.length && !BREAKS.includes(line.charAt(at))) {
    const character = line.charAt(at)
    if (character === "'" || character === '"') {
      const quoted = character === "'" ? singleQuoted(line, at) : doubleQuoted(line, at)
      // Only there to hide a word from whoever compares texts.
      const isWhole = at === start && (quoted.end >= line.length || BREAKS.includes(line.charAt(quoted.end)))
      if (quoted.text === '' && !isWhole) throw new Unknown('Empty quotes inside a word cannot be allowed by a rule.')
      text += quoted.text
      at = quoted.end
      isBare = false
    } else if (character === '\\') {
      const next = line.charAt(at + 1)
      if (next === '' || next === '\n')
        throw new Unknown('A line that continues after `\\` cannot be allowed by a rule.')
      if (/[\p{L}\p{N}_]/u.test(next)) throw new Unknown(`\`\\${next}\` escapes a letter that needs no escape.`)
      // Both halves of a character beyond 16 bits.
      const whole = String.fromCodePoint(line.codePointAt(at + 1) ?? 0)
      text += whole
      at += 1 + whole.length
      isBare = false
    } else {
      refuseSpecial(line, at, start)
      if ('*?[]'.includes(character)) isGlob = true
      text += character
      at++
    }
  }
  // An opening bracket is none that wordAt can begin with.
  if (at === start) throw new Unknown('A command in `( … )` cannot be allowed by a rule.')
  if (line.charAt(at) === '(') throw new Unknown('`(` after a word cannot be allowed by a rule.')
  return { word: { text, isGlob, isBare }, end: at }
}

/** Throws if this character, outside of quotes, means more than itself to any shell. */
function refuseSpecial(line: string, at: number, start: number) {
  const character = line.charAt(at)
  const isFirst = at === start
  if (character === '$') throw new Unknown(expansion(line, at))
  if (character === '`') throw new Unknown('What is in backticks is known only at run time.')
  if (character === '{' || character === '}')
    throw new Unknown(`\`${character}\` outside of quotes cannot be allowed by a rule.`)
  if (character === '!') throw new Unknown('`!` may repeat an earlier command.')
  if (character === '#' && isFirst) throw new Unknown('A comment cannot be allowed by a rule.')
  if ((character === '=' || character === '^') && isFirst) {
    throw new Unknown(`\`${character}\` before a word has a special meaning in some shells.`)
  }
  // `HEAD~1` is plain everywhere. Behind `=` and `:` it is not.
  if (character === '~' && (isFirst || !/[A-Za-z0-9^]/.test(line.charAt(at - 1)))) {
    throw new Unknown('Where `~` leads is known only at run time.')
  }
}

function singleQuoted(line: string, start: number): { text: string; end: number } {
  const close = line.indexOf("'", start + 1)
  const text = line.slice(start + 1, close)
  if (close < 0) throw new Unknown('A quote is not closed.')
  if (text.includes('\n')) throw new Unknown('A line break in quotes cannot be allowed by a rule.')
  return { text, end: close + 1 }
}

function doubleQuoted(line: string, start: number): { text: string; end: number } {
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const character = line.charAt(at)
    const next = line.charAt(at + 1)
    if (character === '"') return { text, end: at + 1 }
    if (character === '\n') throw new Unknown('A line break in quotes cannot be allowed by a rule.')
    if (character === '`') throw new Unknown('What is in backticks is known only at run time.')
    if (character === '!') throw new Unknown('`!` in double quotes may repeat an earlier command.')
    if (character === '$' && (next === '' || !AFTER_DOLLAR.includes(next))) throw new Unknown(expansion(line, at))
    if (character === '\\' && next === '\n') throw new Unknown('A line break in quotes cannot be allowed by a rule.')
    if (character === '\\' && next !== '' && '$`"\\'.includes(next)) {
      text += next
      at++
    } else text += character
  }
  throw new Unknown('A quote is not closed.')
}

function expansion(line: string, at: number): string {
  const rest = line.slice(at, at + 60)
  if (rest.startsWith('$((')) return '`$((…))` is known only at run time.'
  if (rest.startsWith('$(')) return '`$(…)` is known only at run time.'
  if (rest.startsWith("$'")) return "`$'…'` cannot be allowed by a rule."
  const [name = '$'] = /^\$(\{[^}]*\}|\w+|[^\w\s'"])/.exec(rest) ?? []
  return `${inCode(name)} is known only at run time.`
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
