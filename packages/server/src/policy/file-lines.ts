/** The line that a place in a text is in, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** The line where a text stops being JSON; the last one if something is missing at its end. */
export function faultLine(text: string): number {
  const open: string[] = []
  /** What may come next: a value, a key, a colon, or what follows a value. */
  let next = 'value'
  /** Where the comma is that something has to follow. */
  let comma: number | undefined
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isIn = open.at(-1)
    const isText = token.startsWith('"') && token.length > 1 && token.endsWith('"')
    if (token === '}' || token === ']') {
      const isEmpty = next === 'key or end' || next === 'value or end'
      const at = isIn === token ? (comma ?? index) : index
      if (isIn !== token || (next !== 'more' && !isEmpty)) return lineAt(text, at)
      open.pop()
      next = 'more'
    } else if (token === ',' && next === 'more' && isIn !== undefined) next = isIn === '}' ? 'key' : 'value'
    else if (isText && next.startsWith('key')) next = 'colon'
    else if (token === ':' && next === 'colon') next = 'value'
    else if (next.startsWith('value') && (isText || '{['.includes(token) || LITERAL.test(token))) {
      if (token === '{') open.push('}')
      if (token === '[') open.push(']')
      next = token === '{' ? 'key or end' : token === '[' ? 'value or end' : 'more'
    } else return lineAt(text, index)
    comma = token === ',' ? index : undefined
  }
  return lineAt(text, text.length)
}

const TOKEN = /"(?:[^"\\\n]+|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g
const LITERAL = /^(?:true|false|null|-?\d[\d.eE+-]*)$/

/** The lines in which the rules of a policy file begin: each is an object in the one list that the file has. */
export function ruleLines(text: string): readonly number[] {
  const lines: number[] = []
  let depth = 0
  let line = 1
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[{}[\]\n]/g)) {
    if (token === '\n') line++
    else if (token === '}' || token === ']') depth--
    else if (token === '{' || token === '[') {
      depth++
      if (token === '{' && depth === RULE_DEPTH) lines.push(line)
    }
  }
  return lines
}

/** The file, its list, the rule. */
const RULE_DEPTH = 3
