import { isDeepStrictEqual } from 'node:util'
import { dataFolderIn, type WhenStopped, whenStoppedIn } from '@holdpoint/agents/claude/hooks/hook-command'
import { CliError } from '../console/cli-error.ts'
import { findHooks } from './find-hooks.ts'
import { type HookEntry, hooksSetting } from './hook-entries.ts'
import { insertHooks } from './insert-hooks.ts'
import { putIn } from './pieces.ts'
import { removeHooks, type SettingsEdit } from './remove-hooks.ts'
import type { SettingsFile } from './settings-file.ts'

export interface Change {
  /** Undefined: no file. */
  readonly text: string | undefined
  readonly attachment: SettingsEdit
}

/** What our hooks in a settings text say; undefined when it has none. */
export function attachedTo(text: string | undefined): Attached | undefined {
  const found = text === undefined ? [] : findHooks(text)
  const [first] = found
  const data = first && dataFolderIn(first.command)
  const whenStopped = found.map(({ command }) => whenStoppedIn(command)).find((choice) => choice !== undefined)
  return first && { ...(data !== undefined && { data }), ...(whenStopped !== undefined && { whenStopped }) }
}

interface Attached {
  readonly data?: string
  readonly whenStopped?: WhenStopped
}

/** Whether the text has all of these hooks, and no others of ours. */
export function isAttached(text: string | undefined, wanted: ReadonlyMap<string, HookEntry>): boolean {
  const found = text === undefined ? [] : findHooks(text)
  return found.length === wanted.size && found.every(({ event, entry }) => isDeepStrictEqual(wanted.get(event), entry))
}

/** Adds the hooks and replaces those of an earlier version. `before` is the earlier edit. */
export function attachTo(
  file: SettingsFile,
  wanted: ReadonlyMap<string, HookEntry>,
  before: SettingsEdit | undefined,
): Change {
  // Of a file that has none of our hooks any more, what was done to it says nothing.
  const earlier = attachedTo(file.text) === undefined ? undefined : before
  const base = file.text === undefined ? undefined : detachFrom(file.text, earlier)
  if (base === undefined) {
    const text = `${JSON.stringify({ hooks: hooksSetting(wanted) }, null, 2)}\n`
    return { text, attachment: { created: true, pieces: [{ at: 0, text }] } }
  }
  const insertion = insertHooks(base, wanted)
  if (!insertion.ok) {
    throw new CliError(`${file.path} was not changed: ${insertion.why}, so hooks cannot be added. Fix it first.`)
  }
  const { pieces } = insertion
  return { text: putIn(base, pieces), attachment: { created: earlier?.created === true, pieces } }
}

export function detachFrom(text: string, before: SettingsEdit | undefined): string | undefined {
  return findHooks(text).length > 0 ? removeHooks(text, before) : text
}
