import { programOf } from './program-of.ts'
import type { Word } from './shell-word.ts'

const OF_GZIP = ['.gz', '-gz', '.z', '-z', '_z', '.Z']
const OF_ZIP = ['.zip', '.ZIP']

const ENDINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['gzip', OF_GZIP],
  ['gunzip', OF_GZIP],
  ['zcat', OF_GZIP],
  ['unzip', OF_ZIP],
  ['zipinfo', OF_ZIP],
])

/** The names that a program tries too where there is no file of the given name: `gzip -dc a` reads `a.gz`. */
export function withAddedEndings(command: readonly Word[], word: Word): readonly Word[] {
  if (!('text' in word) || word.text === '' || word.text.startsWith('-')) return [word]
  const endings = ENDINGS.get(programOf(command)) ?? []
  return [word, ...endings.map((ending) => ({ text: word.text + ending }))]
}
