import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { fileHash } from '../files/file-hash.ts'
import { realFolder } from '../files/real-folder.ts'
import { changedPlace } from './file-change.ts'
import { readTextFile } from './read-text-file.ts'

/** What an allow would act on and is not as the ask showed it: the plan's file, one that is edited or run, the folder. */
export async function whatChanged(ask: Ask, answer: Answer): Promise<string | undefined> {
  return (await changedPlan(ask, answer)) ?? (await changedFile(ask)) ?? (await changedFolder(ask))
}

/**
 * Claude Code hands on what the plan's file holds when the answer arrives, not what was shown. So an unedited allow
 * counts only while the two are the same.
 */
async function changedPlan(ask: Ask, answer: Answer): Promise<string | undefined> {
  if (ask.kind !== 'plan' || answer.kind !== 'allow' || answer.plan !== undefined || !ask.plan?.filePath)
    return undefined
  const now = await readTextFile(ask.plan.filePath)
  if ('text' in now && now.text.trim() === ask.plan.text.trim()) return undefined
  return 'The plan has changed since it was shown. It is asked again with its new text.'
}

async function changedFile({ files = [], tool, context: { cwd } }: Ask): Promise<string | undefined> {
  for (const { path, use, sha256 } of files) {
    if (tool && use === 'edits' && (await changedPlace(tool.name, tool.input, cwd)) !== path) {
      return `What the call would change is not ${path} any more: a folder on the way to it is another one. It is asked again.`
    }
    const now = await fileHash(path)
    if ('why' in now || now.sha256 !== sha256) return `${path} has changed since it was shown. It is asked again.`
  }
  return undefined
}

async function changedFolder({ context: { cwd } }: Ask): Promise<string | undefined> {
  if (cwd === undefined || (await realFolder(cwd)) === cwd) return undefined
  return `${cwd} is not the folder any more that it was. It is asked again.`
}
