import { findHooks, type Place } from './find-hooks.ts'
import { isJson, membersOf, rootOf } from './json-text.ts'
import { type Piece, takeOut, takeOutAnywhere } from './pieces.ts'

/** What attaching did to a file. */
export interface SettingsEdit {
  /** There was no file before. */
  readonly created: boolean
  readonly pieces: readonly Piece[]
}

/**
 * The settings text without our hooks; undefined when that leaves nothing of a file that was made for them. As long as
 * the inserted pieces are unchanged, the rest stays byte for byte. Otherwise the entries are removed, and with them
 * whatever they leave empty.
 */
export function removeHooks(text: string, edit: SettingsEdit | undefined): string | undefined {
  const removed = removeEntries(text)
  if (edit?.created && membersOf(removed, rootOf(removed)).length === 0) return undefined
  const pieces = edit?.pieces ?? []
  return [takeOut(text, pieces), takeOutAnywhere(text, pieces)].find(isWithoutHooks) ?? removed
}

function removeEntries(text: string): string {
  let result = text
  for (let [found] = findHooks(result); found; [found] = findHooks(result)) result = cut(result, found.place)
  return result
}

/** Cuts the outermost thing that holds nothing but the hook. */
function cut(text: string, place: readonly Place[]): string {
  const level = place.findLast(({ children }) => children.length > 1) ?? place[0]
  if (!level) return text
  const { container, children, index } = level
  const [before, child, after] = [children[index - 1], children[index], children[index + 1]]
  if (after && child) return text.slice(0, child.start) + text.slice(after.start)
  if (before && child) return text.slice(0, before.end) + text.slice(child.end)
  return text.slice(0, container.start + 1) + text.slice(container.end - 1)
}

function isWithoutHooks(text: string | undefined): text is string {
  return text !== undefined && isJson(text) && findHooks(text).length === 0
}
