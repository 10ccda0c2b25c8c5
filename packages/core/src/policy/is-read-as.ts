import type { Command, ParsedScript, Word as SyntaxWord } from 'unbash'
import type { ShapeToken } from './shell-shape.ts'
import { wordOf } from './syntax-word.ts'

/** Whether the parser has read the same words and signs as the reader of known shapes. */
export function isReadAs(script: ParsedScript, tokens: readonly ShapeToken[]): boolean {
  const seen: string[] = []
  tokensOfScript(script, seen)
  const own = tokens.flatMap((token) => {
    if ('word' in token) return [`${token.word.isGlob ? 'glob' : 'word'} ${token.word.text}`]
    if ('redirect' in token) return [token.redirect, ...(token.target ? [`word ${token.target.text}`] : [])]
    return [token.join]
  })
  return own.length === seen.length && own.every((text, at) => text === seen[at])
}

/** What the parser has read, in the words of `isReadAs`. Shapes that are not known have texts that no token has. */
function tokensOfScript({ commands }: ParsedScript, out: string[]) {
  commands.forEach(({ command, background }, at) => {
    if (at > 0) out.push(';')
    const chain = command.type === 'AndOr' ? command : { commands: [command], operators: [] }
    chain.commands.forEach((node, place) => {
      if (place > 0) out.push(chain.operators[place - 1] ?? '')
      const pipe = node.type === 'Pipeline' ? node : { prefixes: [], commands: [node], operators: [] }
      for (const prefix of pipe.prefixes) out.push(prefix.type === 'Negation' ? '!' : 'time')
      pipe.commands.forEach((each, index) => {
        if (index > 0) out.push(pipe.operators[index - 1] ?? '')
        if (each.type === 'Command') tokensOfCommand(each, out)
        else out.push(`not known: ${each.type}`)
      })
    })
    if (background) out.push('&')
  })
}

function tokensOfCommand({ prefix, name, suffix }: Command, out: string[]) {
  for (const item of [...prefix, ...(name ? [name] : []), ...suffix]) {
    if (item.type === 'Word') out.push(tokenOf(item))
    else if (item.type !== 'Redirect' || item.descriptor?.type === 'FileDescriptorVariable' || !item.target)
      out.push(item.type)
    else if (item.operator === '>&') out.push(`${item.descriptor?.value ?? ''}>&${item.target.text}`)
    else out.push(`${item.descriptor?.value ?? ''}${item.operator}`, tokenOf(item.target))
  }
}

function tokenOf(given: SyntaxWord): string {
  const word = wordOf(given)
  if ('text' in word) return `word ${word.text}`
  return 'glob' in word ? `glob ${word.glob}` : 'known only when it runs'
}
