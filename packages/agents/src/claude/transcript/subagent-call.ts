import { openFile, readAt } from '../../files/open-file.ts'

const MAX_BYTES = 64 * 1024

/** The call that sent a subagent out, from what Claude Code notes beside the subagent's transcript. */
export async function subagentCall(transcriptPath: string): Promise<string | undefined> {
  const file = await openFile(transcriptPath.replace(/\.jsonl$/, '.meta.json'))
  if (!file) return undefined
  try {
    const meta: unknown = JSON.parse((await readAt(file.handle, 0, MAX_BYTES)).toString('utf8'))
    const id = typeof meta === 'object' && meta !== null && 'toolUseId' in meta ? meta.toolUseId : undefined
    return typeof id === 'string' && id !== '' ? id : undefined
  } catch {
    return undefined
  } finally {
    await file.handle.close()
  }
}
