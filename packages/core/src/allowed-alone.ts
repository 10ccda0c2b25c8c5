import type { Ask } from '@holdpoint/schema/ask'
import { editsInPlace } from './remembering.ts'

/** Why an allow of this ask counts by itself only, if so: together with others it would slip through (T31, T63). */
export function whyAlone(ask: Ask): 'opens-on-no' | 'refused' | 'result-unknown' | undefined {
  if (ask.flags.defaultToNo) return 'opens-on-no'
  if (ask.appeal) return 'refused'
  // For an edit that is what it will write. For a command it is which files it runs: the command itself was seen.
  return ask.filesUnknown !== undefined && editsInPlace(ask.tool?.name ?? '') ? 'result-unknown' : undefined
}
