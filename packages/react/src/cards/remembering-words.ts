import { ignoredFields } from '@holdpoint/core/remembering'
import type { Ask, AskFile } from '@holdpoint/schema/ask'

/** What a remembered answer matches (T61). */
export function rememberedWords(command: string | undefined, files: readonly AskFile[] = []): string {
  const what = command === undefined ? 'exactly this input' : 'exactly this command'
  return `${what}, in this folder${files.length > 0 ? ', with these files unchanged' : ''}, until this session ends`
}

/** What may differ and is still allowed: fields of the input that change nothing, and what its files load. */
export function notCompared(call: Pick<Ask, 'tool'>, files: readonly AskFile[] = []): string {
  const ignored = call.tool ? ignoredFields(call.tool) : []
  const verb = ignored.length > 1 ? 'are' : 'is'
  const fields = ignored.length > 0 ? ` Its ${ignored.join(' and its ')} ${verb} not compared.` : ''
  const inTurn = files.length > 0 ? ' What its files load is not compared.' : ''
  return `${fields}${inTurn}`
}
