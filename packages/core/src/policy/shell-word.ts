/** A word of a command line. */
export type Word =
  | { readonly text: string }
  /** The shell puts the names of files in its place; `prefix` is what all of them begin with. */
  | { readonly glob: string; readonly prefix: string }
  /** Known only when it runs; here is how it is written. `path` is where it leads if only `~`, `$HOME` or braces make it so, perhaps with a glob. */
  | { readonly dynamic: string; readonly path?: string }

/** As people read it. */
export function writtenWord(word: Word): string {
  if ('text' in word) return word.text
  return 'glob' in word ? word.glob : word.dynamic
}
