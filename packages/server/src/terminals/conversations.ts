import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRunning } from '@holdpoint/agents/claude/attached/process-life'
import { readSessionRecord } from '@holdpoint/agents/claude/attached/session-record'
import { readEntry } from '@holdpoint/agents/claude/transcript/entry'
import { findSessionById } from '@holdpoint/agents/claude/transcript/find-session-file'
import { openFile, readAt } from '@holdpoint/agents/claude/transcript/open-file'
import { projectFolderName } from '@holdpoint/agents/claude/transcript/project-folder'

/** The conversations that Claude Code keeps on this machine. */
export interface Conversations {
  /** Where a conversation was had; undefined when there is none by this id, or its file does not say. */
  folderOf(id: string): Promise<string | undefined>
  /** Whether a process has it open, in whichever terminal. */
  isOpen(id: string): Promise<boolean>
}

const HEAD_BYTES = 1024 * 1024

export function createConversations(projects: string): Conversations {
  const config = dirname(projects)
  return {
    async folderOf(id) {
      const file = await findSessionById(projects, id)
      const opened = file && (await openFile(file.path))
      if (!opened) return undefined
      try {
        const head = (await readAt(opened.handle, 0, HEAD_BYTES)).toString('utf8')
        const folders = head.split('\n').flatMap((line) => readEntry(line)?.cwd ?? [])
        // Claude Code finds the conversation again only from the folder that its file is kept under.
        return folders.find((cwd) => projectFolderName(cwd) === file.folder) ?? folders[0]
      } finally {
        await opened.handle.close()
      }
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
  }
}
