import { openFile, readAt } from '../../files/open-file.ts'
import { readEntry } from './entry.ts'
import { projectFolderName } from './project-folder.ts'
import type { SessionFile } from './session-files.ts'

const HEAD_BYTES = 1024 * 1024

/** Where a conversation was had, as far as the beginning of its file says. */
export async function conversationFolder(file: Pick<SessionFile, 'path' | 'folder'>): Promise<string | undefined> {
  const opened = await openFile(file.path)
  if (!opened) return undefined
  try {
    let first: string | undefined
    for (const line of (await readAt(opened.handle, 0, HEAD_BYTES)).toString('utf8').split('\n')) {
      const cwd = readEntry(line)?.cwd
      // Claude Code finds the conversation again only from the folder that its file is kept under.
      if (cwd !== undefined && projectFolderName(cwd) === file.folder) return cwd
      first ??= cwd
    }
    return first
  } finally {
    await opened.handle.close()
  }
}
