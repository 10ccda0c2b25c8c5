import { createHash } from 'node:crypto'
import { type BigIntStats, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { readBytes } from '@holdpoint/agents/files/read-bytes'
import { type FileRules, rulesOfFile } from '@holdpoint/core/policy/file-rules'
import { idOfHash } from '@holdpoint/schema/id'
import { PolicyFileContent, type WrittenRule } from '@holdpoint/schema/policy-file'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { issuesOf } from '../transport/issues.ts'
import { faultLine, lineAt, ruleLines } from './file-lines.ts'

interface ReadFile {
  readonly rows: readonly WrittenRule[]
  /** Where each of them begins. */
  readonly lines: ReadonlyMap<WrittenRule, number>
}

/** The rules of a file as they are written; or why they cannot be used, in one plain sentence. */
export async function readPolicyFile(
  path: string,
  { maxBytes, maxRules }: { maxBytes: number; maxRules: number },
): Promise<ReadFile | { readonly error: string }> {
  const read = await readBytes(path, maxBytes)
  if ('why' in read) return { error: `It ${read.why}.` }
  if (!read.bytes) return { error: 'It does not exist any more.' }
  const text = read.bytes.toString('utf8').replace(/^\uFEFF/, '')
  const parsed = parseStrictJson(text)
  if (!parsed.ok) {
    const { reason, where } = parsed.refusal
    const line = reason === 'malformed' ? faultLine(text) : where === undefined ? undefined : lineAt(text, where)
    const what = reason === 'malformed' ? '' : ` (${reason.replaceAll('_', ' ')})`
    return { error: `It is not valid JSON${inLine(line)}${what}.` }
  }
  const lines = ruleLines(text)
  const file = PolicyFileContent.safeParse(parsed.value)
  if (!file.success)
    return {
      error: `It is not a policy file: ${issuesOf(file.error)[0] ?? 'its form is unknown'}${inLine(issueLine(file.error.issues, lines))}.`,
    }
  const { rules } = file.data
  if (rules.length > maxRules) return { error: `It has more than ${maxRules.toLocaleString('en')} rules.` }
  return { rows: rules, lines: new Map(rules.map((rule, index) => [rule, lines[index] ?? 1])) }
}

function inLine(line: number | undefined): string {
  return line === undefined ? '' : ` in line ${line}`
}

/** Of the rule that the first issue is about. Not where there are other things in the file: they may have lists, too. */
function issueLine(issues: readonly { readonly path: readonly PropertyKey[] }[], lines: readonly number[]) {
  const [, index] = issues[0]?.path ?? []
  const isInRules = issues.every(({ path }) => path[0] === 'rules')
  return isInRules && typeof index === 'number' ? lines[index] : undefined
}

/** The same rules with their ids. `folder`: all of them hold in this one. */
export function fileRulesAt(
  rows: readonly WrittenRule[],
  at: number,
  { folder, lines }: { readonly folder?: string; readonly lines?: ReadFile['lines'] } = {},
): FileRules {
  return rulesOfFile(rows, {
    home: homedir(),
    at,
    idOf: (text) => idOfHash('rul', createHash('sha256').update(text).digest()),
    realFolder,
    ...(folder !== undefined && { folder }),
    ...(lines && { lineOf: (row) => lines.get(row) }),
  })
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Two changes within this time may leave the same times on a file. */
const TICK_MS = 100

/** Says whether a file is the one that was looked at before. Undefined while it may have changed in the same tick. */
export function stampOf(found: BigIntStats): string | undefined {
  if (Math.abs(Date.now() - Number(found.ctimeMs)) < TICK_MS) return undefined
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs, found.mode, found.uid].join(' ')
}

/** Why a path leads to no file, in one plain sentence. */
export function lookError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'It leads to a file that does not exist.'
  if (code === 'ELOOP') return 'It is a link that leads back to itself.'
  return code === 'EACCES' || code === 'EPERM'
    ? 'Holdpoint has no permission to read it.'
    : `It cannot be read (${code}).`
}
