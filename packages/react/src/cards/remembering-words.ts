import type { AskFile } from '@holdpoint/schema/ask'

/** What a remembered answer matches: the words of the dialog, the modal and the page of rules alike (T61). */
export function rememberedWords(tool: string | undefined, files: readonly AskFile[] = []): string {
  const what = tool === 'Bash' ? 'exactly this command' : 'exactly this input'
  return `${what}, in this folder${files.length > 0 ? ', with these files unchanged' : ''}, until this session ends`
}

/** What may differ and is allowed all the same: two fields of a command, and what its files load. */
export function notCompared(tool: string | undefined, files: readonly AskFile[] = []): string {
  const fields = tool === 'Bash' ? ' Its description and its time limit do not count.' : ''
  const inTurn = files.length > 0 ? ' Files that these load are not compared.' : ''
  return `${fields}${inTurn}`
}
