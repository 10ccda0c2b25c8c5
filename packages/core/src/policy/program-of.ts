import type { Word } from './shell-word.ts'

/** The name of the program that a command runs, without its folder; empty if it is known only when it runs. */
export function programOf([first]: readonly Word[]): string {
  return first && 'text' in first ? (first.text.split('/').at(-1) ?? '') : ''
}
