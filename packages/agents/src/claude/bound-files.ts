import { filesRun } from '@holdpoint/core/shell/files-run'
import { isSimpleCall } from '@holdpoint/core/shell/simple-call'
import type { AskContext, AskFile, AskRequest } from '@holdpoint/schema/ask'
import { fileHash } from '../files/file-hash.ts'
import { isFixedPlace } from '../files/fixed-place.ts'
import { fileChange } from './file-change.ts'
import type { InteractiveCall } from './interactive-tool.ts'

export interface BoundFiles extends Pick<AskRequest, 'files' | 'filesUnknown'> {
  /** From the same look at the file as its hash. */
  readonly context: Pick<AskContext, 'diff' | 'diffOmitted'>
}

/** Tools whose `command` a shell runs. */
const SHELL_TOOLS = new Set(['Bash', 'Monitor'])

const MAX_WHY = 1024
const NOT_SIMPLE = 'It is more than a simple call: it may run files that are not named here.'

/** The files that an allow of this call would act on, as they are now. */
export async function boundFiles({ name, input, cwd }: InteractiveCall): Promise<BoundFiles> {
  if (SHELL_TOOLS.has(name) && typeof input.command === 'string')
    return { ...(await runFiles(input.command, cwd)), context: {} }
  const change = await fileChange(name, input, cwd)
  if (!change) return { context: {} }
  const { file, unknown, diff, diffOmitted } = change
  return {
    ...(file && { files: [file] }),
    ...untold(unknown),
    context: { ...(diff !== undefined && { diff }), ...(diffOmitted !== undefined && { diffOmitted }) },
  }
}

async function runFiles(command: string, cwd: string | undefined): Promise<Pick<AskRequest, 'files' | 'filesUnknown'>> {
  const named = filesRun(command, cwd)
  let { unknown } = named
  const files = new Map<string, AskFile>()
  for (const places of named.files) {
    let isThere = false
    for (const path of places) {
      if (!(await isFixedPlace(path))) unknown ??= `${path} is not a fixed place.`
      const now = await fileHash(path)
      if ('why' in now) {
        unknown ??= `${path} ${now.why}: it is not compared when you answer.`
        isThere = true
        break
      }
      // Where it is not there yet: a file that appears in front of the one that was meant is another.
      files.set(path, { path, use: 'runs', sha256: now.sha256 })
      isThere = now.sha256 !== null
      if (isThere) break
    }
    // Then something else will run, or nothing: what was read as a file may have been something else.
    if (!isThere) unknown ??= `${places[0]} is not there: which file runs is not known.`
  }
  for (const path of named.settings) {
    const now = await fileHash(path)
    // There or not: one that appears counts.
    if ('why' in now) unknown ??= `${path} ${now.why}: it is not compared when you answer.`
    else files.set(path, { path, use: 'runs', sha256: now.sha256 })
  }
  if (!isSimpleCall(command)) unknown ??= NOT_SIMPLE
  return {
    ...(files.size > 0 && { files: [...files.values()] }),
    ...untold(unknown),
  }
}

/** As long as an ask may say it: paths can be longer. */
function untold(why: string | undefined): Pick<AskRequest, 'filesUnknown'> {
  return why === undefined ? {} : { filesUnknown: why.slice(0, MAX_WHY) }
}
