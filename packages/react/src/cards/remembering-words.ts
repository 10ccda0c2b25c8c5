import type { AskFile } from '@holdpoint/schema/ask'

/** What a remembered answer matches: the words of the dialog, the modal and the page of rules alike (T61). */
export function rememberedWords(tool: string | undefined, files: readonly AskFile[] = []): string {
  const what = tool === 'Bash' ? 'exactly this command' : 'exactly this input'
  return `${what}, in this folder${files.length > 0 ? ', with these files unchanged' : ''}, until this session ends`
}

/** For a command two fields of its input do not count. */
export const NOT_COMPARED = 'Its description and its time limit do not count.'
