import { homedir } from 'node:os'
import { join } from 'node:path'

const LONGEST_NAME = 200

type Environment = Readonly<Record<string, string | undefined>>

/** Where Claude Code keeps what it knows. */
export function claudeConfigDir(env: Environment = process.env, home = homedir()): string {
  return env.CLAUDE_CONFIG_DIR || join(home, '.claude')
}

/** The folder with a folder for each project, which holds its transcripts. */
export function projectsDir(env: Environment = process.env, home = homedir()): string {
  return join(claudeConfigDir(env, home), 'projects')
}

/** The name of a project's folder. Different projects can have the same one. */
export function projectFolderName(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}-${hashOf(cwd)}`
}

function hashOf(text: string): string {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = ((hash << 5) - hash + text.charCodeAt(index)) | 0
  return Math.abs(hash).toString(36)
}
