import { filesRun } from '@holdpoint/core/shell/files-run'
import type { AskContext, AskFile, AskRequest } from '@holdpoint/schema/ask'
import { fileHash } from '../files/file-hash.ts'
import { fileChange } from './file-change.ts'
import type { InteractiveCall } from './interactive-tool.ts'

export interface BoundFiles extends Pick<AskRequest, 'files' | 'filesUnknown'> {
  /** From the same look at the file as its hash. */
  readonly context: Pick<AskContext, 'diff' | 'diffOmitted'>
}

/** The files that an allow of this call would act on, as they are now. */
export async function boundFiles({ name, input, cwd }: InteractiveCall): Promise<BoundFiles> {
  if (name === 'Bash' && typeof input.command === 'string')
    return { ...(await runFiles(input.command, cwd)), context: {} }
  const change = await fileChange(name, input, cwd)
  if (!change) return { context: {} }
  const { file, unknown, diff, diffOmitted } = change
  return {
    ...(file && { files: [file] }),
    ...(unknown !== undefined && { filesUnknown: unknown }),
    context: { ...(diff !== undefined && { diff }), ...(diffOmitted !== undefined && { diffOmitted }) },
  }
}

async function runFiles(command: string, cwd: string | undefined): Promise<Pick<AskRequest, 'files' | 'filesUnknown'>> {
  const named = filesRun(command, cwd)
  let { unknown } = named
  const files = new Map<string, AskFile>()
  for (const places of named.files) {
    for (const path of places) {
      const now = await fileHash(path)
      if ('why' in now) {
        unknown ??= `${path} ${now.why}: it is not compared when you answer.`
        break
      }
      // Where it is not there yet: a file that appears in front of the one that was meant is another.
      files.set(path, { path, use: 'runs', sha256: now.sha256 })
      if (now.sha256 !== null) break
    }
  }
  return {
    ...(files.size > 0 && { files: [...files.values()] }),
    ...(unknown !== undefined && { filesUnknown: unknown.slice(0, 1024) }),
  }
}
