import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { DiskLook } from '@holdpoint/core/disk-look'
import { filesRun } from '@holdpoint/core/shell/files-run'
import { type SimpleCall, simpleCall } from '@holdpoint/core/shell/simple-call'
import type { AskContext, AskFile, AskRequest, ToolInput } from '@holdpoint/schema/ask'
import { diskLook } from '../../files/disk-look.ts'
import { bytesHash, fileHash } from '../../files/file-hash.ts'
import { isFixedPlace } from '../../files/fixed-place.ts'
import { leadsTo } from '../../files/leads-to.ts'
import { fileChange } from './file-change.ts'
import type { InteractiveCall } from './interactive-tool.ts'
import { MORE_BY_NPM, npmMayRunMore } from './npm-runs-more.ts'
import { isReading, readsElsewhere } from './read-place.ts'

export interface BoundFiles extends Pick<AskRequest, 'files' | 'filesUnknown'> {
  /** From the same look at the file as its hash. */
  readonly context: Pick<AskContext, 'diff' | 'diffOmitted'>
}

/** Tools whose `command` a shell runs. */
const SHELL_TOOLS = new Set(['Bash', 'Monitor'])

const MAX_WHY = 1024
/** Of a command, looked at one by one. */
const MAX_WORDS = 100
const NOT_SIMPLE = 'This command is more than a simple call. It may run files that are not named here.'

/** The files that an allow of this call would act on, as they are now. `files` is left out where nothing is looked at. */
export async function boundFiles({ name, input, cwd }: InteractiveCall, disk = diskLook()): Promise<BoundFiles> {
  if (SHELL_TOOLS.has(name) && typeof input.command === 'string')
    return { ...(await runFiles(input.command, cwd, disk)), context: {} }
  if (name === 'Workflow') return { ...(await workflowFiles(input, cwd)), context: {} }
  const change = await fileChange(name, input, cwd)
  if (!change && !isReading(name)) return { context: {} }
  if (!change) return { files: [], ...untold(await readsElsewhere(name, input, cwd)), context: {} }
  const { file, unknown, diff, diffOmitted } = change
  return {
    ...(file && { files: [file] }),
    ...untold(unknown),
    context: { ...(diff !== undefined && { diff }), ...(diffOmitted !== undefined && { diffOmitted }) },
  }
}

/** Its script runs agents. Claude Code shows it to `canUseTool`; its hooks are told only where it is. */
async function workflowFiles(
  { script, scriptPath }: Readonly<ToolInput>,
  cwd: string | undefined,
): Promise<Pick<AskRequest, 'files' | 'filesUnknown'>> {
  if (typeof script === 'string') return { files: [] }
  if (typeof scriptPath !== 'string' || (cwd === undefined && !isAbsolute(scriptPath))) {
    return { files: [], filesUnknown: 'Holdpoint does not know which script this workflow runs.' }
  }
  const path = resolve(cwd ?? '/', scriptPath)
  const place = await leadsTo(path)
  if (place !== undefined) return { files: [], filesUnknown: `${path} goes through a link, to ${place}.` }
  const now = await fileHash(path)
  if ('why' in now) return { files: [], filesUnknown: `${path} ${now.why}: it is not compared when you answer.` }
  return { files: [{ path, use: 'runs', sha256: now.sha256 }] }
}

async function runFiles(
  command: string,
  cwd: string | undefined,
  disk: DiskLook,
): Promise<Pick<AskRequest, 'files' | 'filesUnknown'>> {
  const named = filesRun(command, cwd)
  let { unknown } = named
  const files = new Map<string, AskFile>()
  const bind = async (path: string) => {
    const now = await fileHash(path)
    if ('why' in now) unknown ??= `${path} ${now.why}: it is not compared when you answer.`
    else files.set(path, { path, use: 'runs', sha256: now.sha256 })
  }
  for (const places of named.files) {
    let isThere = false
    for (const path of places) {
      if (!(await isFixedPlace(path, disk))) unknown ??= `${path} is not a fixed place.`
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
    if (!isThere) unknown ??= `${places[0]} does not exist, so it is not known which file runs.`
  }
  // There or not: one that appears counts.
  for (const path of named.settings) await bind(path)
  const simple = simpleCall(command, cwd)
  const links: string[] = []
  if (!simple || simple.writes || simple.words.length > MAX_WORDS) unknown ??= NOT_SIMPLE
  else {
    if (simple.words[0] === 'npm' && (await npmMayRunMore(thereOf(files)))) unknown ??= MORE_BY_NPM
    for (const path of pathsIn(simple, cwd)) {
      const place = await leadsTo(path, disk)
      if (place !== undefined) links.push(`${path} goes through a link, to ${place}.`)
      if (simple.runs && (await isFile(path))) await bind(path)
    }
  }
  unknown = [...(unknown === undefined ? [] : [unknown]), ...links].join(' ') || undefined
  return { files: [...files.values()], ...untold(unknown) }
}

function thereOf(files: ReadonlyMap<string, AskFile>): readonly string[] {
  return [...files.values()].filter(({ sha256 }) => sha256 !== null).map(({ path }) => path)
}

/** Every place that a word may stand for: which of them are files, the program alone knows. */
function pathsIn({ words }: SimpleCall, cwd: string | undefined): readonly string[] {
  const [program = '', ...args] = words
  const named = [...(program.includes('/') ? [program] : []), ...args].flatMap(endingsOf)
  return named.filter((word) => word.startsWith('/') || cwd !== undefined).map((word) => resolve(cwd ?? '/', word))
}

/** The word, and what follows each `=` in it. */
function endingsOf(word: string): readonly string[] {
  return word.split('=').map((_, index, parts) => parts.slice(index).join('='))
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}

/** As long as an ask may say it: paths can be longer. */
function untold(why: string | undefined): Pick<AskRequest, 'filesUnknown'> {
  if (why === undefined || why.length <= MAX_WHY) return why === undefined ? {} : { filesUnknown: why }
  // What is cut off counts all the same when the two are compared at the answer.
  return { filesUnknown: `${why.slice(0, MAX_WHY - 30)} ... (${bytesHash(Buffer.from(why)).slice(0, 16)})` }
}
