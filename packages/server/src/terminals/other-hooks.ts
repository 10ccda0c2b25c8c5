import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { MayOthersAnswer } from '@holdpoint/agents/claude/attached/gated-calls'
import { type HookProgram, isCommandOf } from '@holdpoint/agents/claude/hooks/hook-command'
import { readBytes } from '@holdpoint/agents/files/read-bytes'
import { settingsPlaces } from '../trust/settings-places.ts'

/** Events whose hooks can answer in the place of a person, or change what runs. */
const DECIDING = ['PreToolUse', 'PermissionRequest']
/** Folders whose files can bring hooks of their own. */
const FOLDERS = ['agents', 'commands', 'skills']
const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']
const MAX_FILES = 500
const MAX_BYTES = 1024 * 1024

/**
 * Whether the settings that Claude Code reads have hooks that could answer in the place of a person: a user's, a project's,
 * an administrator's, or those of plugins, skills and agents. In doubt yes. Ours is only what runs this very program: a
 * repository can write our mark into its settings, too.
 */
export function otherHooks(program: Omit<HookProgram, 'node'>): MayOthersAnswer {
  return async ({ cwd, configFolder }) => {
    if (configFolder === undefined) return true
    try {
      const folders = await foldersOf(cwd, configFolder)
      for (const path of await settingsIn(folders)) if (await hasOthers(path, program)) return true
      const texts = await listed(folders.flatMap((folder) => FOLDERS.map((name) => join(folder, name))))
      for (const path of texts) if (path.endsWith('.md') && (await mayBringHooks(path))) return true
      return false
    } catch {
      return true
    }
  }
}

/** Whether those settings, or such hooks, could want a person for a call each time, whatever else allows it. In doubt yes. */
export function wantingPerson(program: Omit<HookProgram, 'node'>): MayOthersAnswer {
  const mayOthersAnswer = otherHooks(program)
  return async (place) => {
    const { cwd, configFolder } = place
    if (configFolder === undefined || (await mayOthersAnswer(place))) return true
    try {
      for (const path of await settingsIn(await foldersOf(cwd, configFolder))) if (await hasAskRules(path)) return true
      return false
    } catch {
      return true
    }
  }
}

async function foldersOf(cwd: string, configFolder: string): Promise<string[]> {
  return [configFolder, ...(await settingsPlaces(cwd)).map((place) => join(place, '.claude'))]
}

async function settingsIn(folders: readonly string[]): Promise<string[]> {
  return [
    ...folders.flatMap((folder) => [join(folder, 'settings.json'), join(folder, 'settings.local.json')]),
    ...MANAGED.map((folder) => join(folder, 'managed-settings.json')),
    ...(await listed(MANAGED.map((folder) => join(folder, 'managed-settings.d')))),
  ]
}

async function hasAskRules(path: string): Promise<boolean> {
  const { permissions = {} } = JSON.parse((await textOf(path)) ?? '{}') as Settings
  return permissions.ask !== undefined && (permissions.ask as { length?: unknown }).length !== 0
}

async function hasOthers(path: string, program: Omit<HookProgram, 'node'>): Promise<boolean> {
  const text = await textOf(path)
  if (text === undefined) return false
  const { hooks = {}, enabledPlugins = {} } = JSON.parse(text) as Settings
  if (Object.values(enabledPlugins).some((isEnabled) => isEnabled !== false)) return true
  const entries = DECIDING.flatMap((event) => hooks[event] ?? [])
  return entries.some((entry) => (entry.hooks ?? []).some((hook) => !isCommandOf(String(hook.command), program)))
}

interface Settings {
  readonly hooks?: Readonly<Record<string, readonly { readonly hooks?: readonly { readonly command?: unknown }[] }[]>>
  readonly enabledPlugins?: Readonly<Record<string, unknown>>
  readonly permissions?: { readonly ask?: unknown }
}

/** By the head of a skill, agent or command. A backslash could spell a name that is not seen here. */
async function mayBringHooks(path: string): Promise<boolean> {
  const [, head = ''] = /^\s*---\s*\n([\s\S]*?)---/.exec((await textOf(path)) ?? '') ?? []
  return /hooks|\\/i.test(head)
}

async function listed(folders: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const folder of folders) {
    const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing)) ?? []
    // What is behind a link is not listed.
    if (entries.some((entry) => entry.isSymbolicLink())) throw new Error('there is a link')
    files.push(...entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)))
    if (files.length > MAX_FILES) throw new Error('there are too many files')
  }
  return files
}

/** Undefined where there is none. */
async function textOf(path: string): Promise<string | undefined> {
  const file = await readBytes(path, MAX_BYTES)
  if ('why' in file) throw new Error(file.why)
  return file.bytes?.toString('utf8')
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
