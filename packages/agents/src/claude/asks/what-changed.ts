import type { DiskLook } from '@holdpoint/core/disk-look'
import type { Answer } from '@holdpoint/schema/answer'
import type { AskFile, AskRequest } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import { diskLook } from '../../files/disk-look.ts'
import { boundFiles } from './bound-files.ts'
import { readTextFile } from './read-text-file.ts'

/** Why an allow is not taken for this ask as it was shown. Whoever raised it asks again. */
export async function whatChanged(ask: AskRequest, answer: Answer): Promise<string | undefined> {
  const changed = await changeOf(ask, answer)
  return changed === undefined ? undefined : `${changed}. It is asked again.`
}

/** What an allow would act on and is not as the ask showed it: the plan's file, one that is edited or run, the folder. */
export async function changeOf(ask: AskRequest, answer: Answer): Promise<string | undefined> {
  const disk = diskLook()
  const looks = await Promise.all([changedPlan(ask, answer), changedFolder(ask, disk), changedFiles(ask, disk)])
  return looks.find((changed) => changed !== undefined)
}

/**
 * Claude Code hands on what the plan's file holds when the answer arrives, not what was shown. So an unedited allow
 * counts only while the two are the same.
 */
async function changedPlan(ask: AskRequest, answer: Answer): Promise<string | undefined> {
  if (ask.kind !== 'plan' || answer.kind !== 'allow' || answer.plan !== undefined || !ask.plan?.filePath)
    return undefined
  const now = await readTextFile(ask.plan.filePath)
  if ('text' in now && now.text.trim() === ask.plan.text.trim()) return undefined
  return 'The plan has changed since it was shown'
}

/** The whole look once more: a link may have taken the place of a file, and a file that was not there may be there now. */
async function changedFiles(
  { tool, files, filesUnknown, context }: AskRequest,
  disk: DiskLook,
): Promise<string | undefined> {
  // Nothing was looked at when it was asked.
  if (!tool || (files === undefined && filesUnknown === undefined)) return undefined
  const now = await boundFiles(
    { name: tool.name, input: tool.input, ...(context.cwd !== undefined && { cwd: context.cwd }) },
    disk,
  )
  const other = differing(files ?? [], now.files ?? [])
  if (other !== undefined) return `${other} has changed since it was shown`
  if (now.filesUnknown === filesUnknown) return undefined
  return 'The call would now act on something else than what was shown'
}

/** The path of the first file that is only in one of two lists, or differs. */
function differing(before: readonly AskFile[], now: readonly AskFile[]): string | undefined {
  const [was, is] = [before, now].map((files) => new Map(files.map((file) => [file.path, canonicalJson(file)])))
  return [...before, ...now].find(({ path }) => was?.get(path) !== is?.get(path))?.path
}

async function changedFolder({ context: { cwd } }: AskRequest, disk: DiskLook): Promise<string | undefined> {
  if (cwd === undefined || (await disk.realPath(cwd)) === cwd) return undefined
  return `${cwd} is no longer the same folder`
}
