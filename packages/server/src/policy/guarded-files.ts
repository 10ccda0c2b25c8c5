import { homedir } from 'node:os'
import { join } from 'node:path'
import { claudeConfigDir } from '@holdpoint/agents/claude/transcript/project-folder'

/** What decides about every agent of this user: our own programs, and Claude Code's settings with what they run (T71). */
export function guardedFiles(environment: Readonly<Record<string, string | undefined>>, programs: string): string[] {
  const home = environment.HOME ?? homedir()
  const settings = ['settings.json', 'settings.local.json', 'hooks', 'skills', 'commands', 'agents', 'plugins']
  const folder = claudeConfigDir(environment, home)
  return [
    programs,
    join(home, '.claude.json'),
    join(folder, '.claude.json'),
    ...settings.map((name) => join(folder, name)),
  ]
}
