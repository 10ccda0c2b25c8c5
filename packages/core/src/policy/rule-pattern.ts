import type { Effect } from '@holdpoint/schema/policy'
import { type AddressPattern, parseAddressPattern } from './address-pattern.ts'
import { type PathPattern, parsePathPattern } from './path-pattern.ts'
import { shapeOf } from './shell-shape.ts'

/** A word of a command, or any word; as the last one any number of them, also none. */
export type PatternWord = { readonly text: string } | { readonly any: true }

export type RulePattern =
  /** Without words: every command. */
  | { readonly about: 'command'; readonly words: readonly PatternWord[] | undefined }
  /** Without a path: every file. */
  | { readonly about: 'file'; readonly use: 'read' | 'write'; readonly path: PathPattern | undefined }
  | { readonly about: 'fetch'; readonly address: AddressPattern }
  /** Without a tool: every tool of the server. */
  | { readonly about: 'mcp'; readonly server: string; readonly tool: string | undefined }
  | { readonly about: 'tool'; readonly name: string }

export type ParsedPattern = { readonly pattern: RulePattern } | { readonly error: string }

const MAX_LENGTH = 2000
/** Every tool that writes files is one to the rules: nobody who allows or denies an edit means one way of making it. */
const WRITES = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])

/** Reads the text of a rule; or says in one plain sentence what is wrong with it. */
export function parseRulePattern(text: string, effect: Effect): ParsedPattern {
  if (text.trim() === '') return { error: 'The pattern is empty.' }
  if (text.length > MAX_LENGTH)
    return { error: `The pattern is longer than ${MAX_LENGTH.toLocaleString('en')} characters.` }
  if (/\p{C}/u.test(text)) return { error: 'The pattern contains a control character.' }
  if (/^[/^]|^\.\*/.test(text))
    return { error: 'This looks like a regular expression. Write the words of the command, as in Bash(git status).' }
  const open = text.indexOf('(')
  if (open < 0)
    return text.includes(')') ? { error: 'There is a closing bracket without an opening one.' } : bare(text, effect)
  if (!text.endsWith(')')) return { error: 'The closing bracket at the end is missing.' }
  const tool = text.slice(0, open)
  const inside = text.slice(open + 1, -1)
  if (!isName(tool)) return { error: `"${tool}" is not the name of a tool.` }
  if (inside.trim() === '') return { error: 'There is nothing between the brackets.' }
  if (tool === 'Bash') return command(inside, effect)
  if (tool === 'WebFetch') return address(inside, effect)
  if (tool === 'Read' || WRITES.has(tool)) return file(tool, inside)
  return { error: `Rules with brackets are for Bash, Read, Edit and WebFetch, not for ${tool}.` }
}

function bare(text: string, effect: Effect): ParsedPattern {
  if (text.startsWith('mcp__')) return mcp(text)
  if (!isName(text)) return { error: `"${text}" is not a known form of rule.` }
  const isWide = text === 'Bash' || text === 'Read' || text === 'WebFetch' || WRITES.has(text)
  // Everything that a tool can do is more than anybody can know to be fine.
  if (isWide && effect === 'allow')
    return { error: `An allow rule has to say what ${text} may do, such as ${exampleOf(text)}.` }
  if (text === 'Bash') return { pattern: { about: 'command', words: undefined } }
  if (text === 'WebFetch')
    return { pattern: { about: 'fetch', address: { host: undefined, isBelow: false, port: undefined } } }
  if (isWide) return { pattern: { about: 'file', use: text === 'Read' ? 'read' : 'write', path: undefined } }
  return { pattern: { about: 'tool', name: text } }
}

function exampleOf(tool: string): string {
  if (tool === 'Bash') return 'Bash(git status)'
  return tool === 'WebFetch' ? 'WebFetch(domain:example.com)' : `${tool}(src/**)`
}

function isName(text: string): boolean {
  return /^[A-Za-z][\w-]*$/.test(text)
}

function command(inside: string, effect: Effect): ParsedPattern {
  if (/^\/?\^|\.\*|\$\/?$/.test(inside)) {
    return { error: 'This looks like a regular expression. Write the words of the command; * matches whole words.' }
  }
  const shape = shapeOf(inside.replace(/:\*$/, ' *'))
  if ('why' in shape) return { error: `A rule is for one simple command. ${shape.why}` }
  const words: PatternWord[] = []
  for (const token of shape.tokens) {
    if (!('word' in token))
      return { error: 'A rule is for one simple command, without redirections and without && || ; | !' }
    const { text, isGlob, isBare } = token.word
    if (!isGlob) words.push({ text })
    else if (text === '*' && isBare) words.push({ any: true })
    else return { error: `* matches whole words. Write '${text}' in quotes if you mean these characters.` }
  }
  const [name] = words
  const isEvery = words.length === 1 && name !== undefined && 'any' in name
  if (name && 'any' in name && effect === 'allow')
    return { error: 'An allow rule has to name the program, such as Bash(git status).' }
  return { pattern: { about: 'command', words: isEvery ? undefined : words } }
}

function address(inside: string, effect: Effect): ParsedPattern {
  const parsed = parseAddressPattern(inside)
  if ('error' in parsed) return parsed
  if (parsed.host === undefined && effect === 'allow')
    return { error: 'An allow rule has to name the domain, such as WebFetch(domain:example.com).' }
  return { pattern: { about: 'fetch', address: parsed } }
}

function file(tool: string, inside: string): ParsedPattern {
  const path = parsePathPattern(inside)
  if ('error' in path) return path
  return { pattern: { about: 'file', use: tool === 'Read' ? 'read' : 'write', path } }
}

function mcp(text: string): ParsedPattern {
  const [, server = '', tool = ''] = /^mcp__((?:(?!__)[\w.-])+)__([\w.-]+|\*)$/.exec(text) ?? []
  if (server === '')
    return {
      error: 'A rule for a tool of an MCP server is written mcp__server__tool, or mcp__server__* for all of them.',
    }
  return { pattern: { about: 'mcp', server, tool: tool === '*' ? undefined : tool } }
}
