import type { Word as SyntaxWord, WordPart } from 'unbash'
import type { Word } from './shell-word.ts'

/** What a shell makes of a word. `home` is what `~` stands for, if that is known. */
export function wordOf({ value, text, parts }: SyntaxWord, home?: string): Word {
  if (/(^|[=:])~/.test(text)) return dynamicWord(text, home)
  if (!parts) return { text: value }
  if (!parts.every((part) => isPlain(part) || part.type === 'Glob')) return dynamicWord(text, home)
  const first = parts.findIndex(({ type }) => type === 'Glob')
  if (first < 0) return { text: value }
  return { glob: value, prefix: parts.slice(0, first).map(plainText).join('') }
}

const GROUP = /[?*+@!]\([^()]*\)|\{[^{}]*\}/g
/** Groups in groups. */
const MAX_DEPTH = 8

/**
 * Rules allow nothing that begins with `~`, `$HOME` or `$PWD`, and no braces. But what asks or denies knows where those lead:
 * braces are taken for a glob, and for `**` if they may stand for a hidden name.
 */
function dynamicWord(text: string, home: string | undefined): Word {
  let plain = text
    .replace(/['"]/g, '')
    .replace(/\\(.)/gs, '$1')
    .replace(/(^|[=:])(~(?=\/|$)|\$HOME\b|\$\{HOME(:[?-][^}]*)?\})/, (whole, before) =>
      home === undefined ? whole : `${before}${home}`,
    )
    .replace(/(^|[=:])(\$PWD\b|\$\{PWD\})/, '$1.')
  for (let depth = 0; depth < MAX_DEPTH && /[)}]/.test(plain); depth++)
    plain = plain.replace(GROUP, (group) => (/[{(,|/](\.|\*\*)/.test(group) ? '**' : '*'))
  if (/[$`(){}~]/.test(plain)) return { dynamic: text }
  return { dynamic: text, path: plain.slice(Math.max(plain.lastIndexOf('='), plain.lastIndexOf(':')) + 1) }
}

function isPlain(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every((child) => child.type === 'Literal')
  return part.type === 'Literal' || part.type === 'SingleQuoted'
}

function plainText(part: WordPart): string {
  if (part.type === 'DoubleQuoted') return part.parts.map((child) => ('value' in child ? child.value : '')).join('')
  return 'value' in part ? part.value : ''
}
