import { filesRun } from '../shell/files-run.ts'
import { joinPath } from '../shell/join-path.ts'
import { isSystemProgram } from '../shell/system-program.ts'
import { withAddedEndings } from './added-endings.ts'
import { inCode } from './in-code.ts'
import { isInside, pathsOfCommand, whyOutside, whyUnsafeGlob } from './places.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import { readingWords } from './reading-programs.ts'
import type { PatternWord } from './rule-pattern.ts'
import { whatItRuns } from './running-programs.ts'
import type { CommandPart } from './shell-parts.ts'
import { type Word, writtenWord } from './shell-word.ts'

/** How many options before a subcommand are skipped: `git -C x push` is a push. */
const MAX_STEPPED = 100

/**
 * Whether what asks or denies is about a command. `maybe`: a word of it is known only when it runs. Wide on purpose: a
 * program by its path is that program, and options before other words do not hide these.
 */
export function concernsCommand(
  pattern: readonly PatternWord[] | undefined,
  words: readonly Word[],
): 'yes' | 'maybe' | 'no' {
  if (!pattern) return 'yes'
  let best = widely(pattern, words)
  const [name, ...rest] = words
  if (best !== 'no' || !name || !isOption(rest[0])) return best
  for (let at = 1; at <= Math.min(rest.length, MAX_STEPPED); at++) {
    const fit = widely(pattern, [name, ...rest.slice(at)])
    if (fit === 'yes') return fit
    if (fit === 'maybe') best = fit
  }
  return best
}

function isOption(word: Word | undefined): boolean {
  return word !== undefined && writtenWord(word).startsWith('-')
}

/** Words that have to be there, each in its place, and whether any more may follow. */
function readPattern(pattern: readonly PatternWord[]) {
  const last = pattern.at(-1)
  const isOpen = last !== undefined && 'any' in last
  return { isOpen, fixed: isOpen ? pattern.slice(0, -1) : pattern }
}

function widely(pattern: readonly PatternWord[], words: readonly Word[]): 'yes' | 'maybe' | 'no' {
  const { isOpen, fixed } = readPattern(pattern)
  for (const [at, wanted] of fixed.entries()) {
    const word = words[at]
    if (!word) return 'no'
    // It may become any words, or none: whatever follows may be in another place.
    if (!('text' in word)) return 'maybe'
    if ('any' in wanted || word.text === wanted.text || (at === 0 && isProgram(wanted.text, word.text))) continue
    return 'no'
  }
  const rest = words.slice(fixed.length)
  if (isOpen || rest.length === 0) return 'yes'
  return rest.every((word) => !('text' in word)) ? 'maybe' : 'no'
}

function isProgram(name: string, path: string): boolean {
  return !name.includes('/') && path.endsWith(`/${name}`)
}

interface Allowing {
  readonly words: readonly PatternWord[]
  readonly pins: readonly { readonly path: string }[]
}

/** Why an allow rule whose words are like these does not allow a command, as a plain sentence; undefined if it does. */
export function whyNotAllowed(
  rule: Allowing,
  part: CommandPart,
  call: PolicyCall,
  facts: PolicyFacts,
): string | undefined {
  const { words, folder } = part
  const [first] = words
  if (!first || !('text' in first)) return 'The program is known only at run time.'
  const name = first.text
  const runs = whatItRuns(words)
  const isExact = rule.words.every((word) => 'text' in word)
  if (folder === undefined) return `Holdpoint cannot tell in which folder ${inCode(name)} runs.`
  const where = folder === call.cwd ? folder : facts.realPaths.get(folder)
  if (where === undefined || !isInside(call.project, where)) return `${inCode(name)} does not run inside the project.`
  if (/(^|\/)git$/.test(name)) {
    if (!call.trusted) return 'Git runs programs that the repository names, and this project is not trusted.'
    // Another folder may be a repository of its own, which nobody has trusted.
    if (folder !== call.cwd && where !== call.project)
      return 'Git runs in another folder, which may be another repository.'
  }
  const stray = strayFile(rule, part, facts)
  if (stray !== undefined)
    return `The rule is pinned to other files than this command runs in its folder: ${inCode(stray)}.`
  if (runs !== undefined) {
    if (!isExact) return `${inCode(name)} ${runs}: only a rule for this exact command can allow it.`
    if (part.isFed) return `${inCode(name)} ${runs}, and its input is known only at run time.`
    // The same words in another folder run something else.
    if (folder !== call.cwd) return `${inCode(name)} ${runs}, and it does so in another folder than the call.`
  }
  if (!isSystemProgram(name)) {
    const path = facts.realPaths.get(joinPath(folder, name))
    if (!isExact) return `${inCode(name)} is a program in a file: only a rule for this exact command can allow it.`
    if (part.isFed) return `${inCode(name)} is a program in a file, and its input is known only at run time.`
    if (path === undefined || !rule.pins.some((pin) => pin.path === path))
      return `The rule is not pinned to the content of ${inCode(name)}.`
  }
  return isExact ? undefined : whyNotBehindWildcard(rule.words, part, folder, call, facts)
}

/** A file that this command runs in its folder and the rule does not pin, or one that the rule pins and the command does not use there. */
function strayFile({ pins }: Allowing, part: CommandPart, { realPaths, hashes }: PolicyFacts): string | undefined {
  if (pins.length === 0) return undefined
  const pinned = new Set(pins.map(({ path }) => path))
  const realOf = (path: string) => realPaths.get(path) ?? path
  const isPinned = (path: string) => pinned.has(path) || pinned.has(realOf(path))
  const isMissing = (path: string) => isPinned(path) && (hashes.get(path) ?? hashes.get(realOf(path))) === null
  const { files, settings } = filesRun(part.text, part.folder)
  // Of several places, the first that has a file is meant.
  const run = files.flatMap((places) => places.find((path) => !isMissing(path)) ?? [])
  const used = new Set([...pathsOfCommand(part), ...files.flat(), ...settings].flatMap((path) => [path, realOf(path)]))
  return run.find((path) => !isPinned(path)) ?? pins.find(({ path }) => !used.has(path))?.path
}

/** Programs that read files and print numbers or names, not what is in them. */
const TELLS_LITTLE = /^(ls|wc|du|stat|file|(md5|sha\d+|b2|ck)?sum)$/

function whyNotBehindWildcard(
  pattern: readonly PatternWord[],
  { words }: CommandPart,
  folder: string,
  call: PolicyCall,
  facts: PolicyFacts,
): string | undefined {
  const name = writtenWord(words[0] ?? { text: '' })
  const read = readingWords(words)
  if (read && 'notKnown' in read) return `${inCode(`${name} ${read.notKnown}`.trim())} may do more than read.`
  let isBehindOptions = false
  for (const [at, word] of words.entries()) {
    const wanted = pattern[at]
    const isOwn = wanted !== undefined && 'text' in wanted
    const isDash = !isBehindOptions && isOption(word)
    if ('text' in word && word.text === '--') isBehindOptions = true
    if (isOwn) continue
    const shown = `The argument ${inCode(writtenWord(word))} of ${inCode(name)}`
    if ('dynamic' in word) return `${shown} is known only at run time.`
    // For a program that only reads, we know which arguments are files; for others any argument may be one.
    if (read && !read.files.has(at - 1)) continue
    // What it finds may be a link that leads out of the project: there, a program may change a file or print what is in it.
    if ('glob' in word && !TELLS_LITTLE.test(name)) return `${shown} may match a link that leads out of the project.`
    const unsafe = 'glob' in word ? whyUnsafeGlob(word, read?.anyGlob === true) : undefined
    if (unsafe) return `${shown} ${unsafe}.`
    for (const named of withAddedEndings(words, word)) {
      const outside = whyOutside(named, { folder, isDash }, call, facts)
      if (outside) return `${shown} ${outside}.`
    }
    // Stricter than the limits of the project: files in `.git` or `.vscode` may decide what other programs run.
    if (!read && hasHiddenName(writtenWord(word)))
      return `${shown} names a hidden file: only a rule for this exact command can allow it.`
  }
  return undefined
}

function hasHiddenName(text: string): boolean {
  return /(^|[/=:,@])\.[^./]/.test(text) || /^-[^-]{0,3}\.[^./]/.test(text)
}

/** Whether the words of a command are those of a pattern, compared exactly. */
export function hasWords(pattern: readonly PatternWord[], words: readonly Word[]): boolean {
  const { isOpen, fixed } = readPattern(pattern)
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false
  return fixed.every((wanted, at) => {
    const word = words[at]
    return word !== undefined && ('any' in wanted || ('text' in word && word.text === wanted.text))
  })
}
