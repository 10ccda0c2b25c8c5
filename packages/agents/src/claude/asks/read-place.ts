import { isAbsolute, resolve } from 'node:path'
import type { ToolInput } from '@holdpoint/schema/ask'
import { leadsTo } from '../../files/leads-to.ts'

/** Tools that read files, and the field that says where. */
const READING: ReadonlyMap<string, string> = new Map([
  ['Read', 'file_path'],
  ['NotebookRead', 'notebook_path'],
  ['Glob', 'path'],
  ['Grep', 'path'],
  ['LS', 'path'],
])

export function isReading(tool: string): boolean {
  return READING.has(tool)
}

/** Says where a call reads if that is not where its words say: a link may be put there while an ask waits, or later. */
export async function readsElsewhere(
  tool: string,
  input: Readonly<ToolInput>,
  cwd: string | undefined,
): Promise<string | undefined> {
  const named = input[READING.get(tool) ?? '']
  if (typeof named !== 'string' || (cwd === undefined && !isAbsolute(named))) return undefined
  const place = await leadsTo(resolve(cwd ?? '/', named))
  return place && `${named} goes through a link: this reads ${place}.`
}
