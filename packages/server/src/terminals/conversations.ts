import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRunning } from '@holdpoint/agents/claude/attached/process-life'
import { readSessionRecord } from '@holdpoint/agents/claude/attached/session-record'
import { conversationFolder } from '@holdpoint/agents/claude/transcript/conversation-folder'
import { findSessionById } from '@holdpoint/agents/claude/transcript/find-session-file'
import { type RecentProject, recentProjects } from '@holdpoint/agents/claude/transcript/recent-projects'

/** The conversations that Claude Code keeps on this machine. */
export interface Conversations {
  /** Where a conversation was had; undefined when there is none by this id, or its file does not say. */
  folderOf(id: string): Promise<string | undefined>
  /** Whether a process has it open, in whichever terminal. */
  isOpen(id: string): Promise<boolean>
  /** The folders in which Claude Code was used last. */
  recentFolders(limit: number): Promise<readonly RecentProject[]>
}

export function createConversations(projects: string): Conversations {
  const config = dirname(projects)
  return {
    async folderOf(id) {
      const file = await findSessionById(projects, id)
      return file && conversationFolder(file)
    },
    async isOpen(id) {
      const names = await readdir(join(config, 'sessions')).catch((): string[] => [])
      for (const name of names) {
        const pid = Number(/^(\d+)\.json$/.exec(name)?.[1])
        if (!Number.isSafeInteger(pid)) continue
        const record = await readSessionRecord(config, pid)
        const startedAt = record?.startTime
        if (record?.sessionId === id && (await isRunning({ pid, ...(startedAt !== undefined && { startedAt }) })))
          return true
      }
      return false
    },
    recentFolders: (limit) => recentProjects(projects, limit),
  }
}
