import { programOf } from './program-of.ts'
import type { Word } from './shell-word.ts'

const OF_GZIP = ['.gz', '-gz', '.z', '-z', '_z', '.Z']
const OF_ZIP = ['.zip', '.ZIP']

/** Those that hand the names on to `gzip` and `unzip` are among them. */
const ENDINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ...words('gzip gunzip zcat uncompress zgrep zegrep zfgrep zless zmore').map((name) => [name, OF_GZIP] as const),
  ...words('unzip zipinfo zipgrep zipnote').map((name) => [name, OF_ZIP] as const),
])

function words(text: string): readonly string[] {
  return text.split(' ')
}

/** The names that a program tries too where there is no file of the given name: `gzip -dc a` reads `a.gz`. */
export function withAddedEndings(command: readonly Word[], word: Word): readonly Word[] {
  if (!('text' in word) || word.text === '' || word.text.startsWith('-')) return [word]
  const endings = ENDINGS.get(programOf(command)) ?? []
  return [word, ...endings.map((ending) => ({ text: word.text + ending }))]
}
