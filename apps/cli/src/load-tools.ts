import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InteractiveTool } from '@holdpoint/agents/claude/asks/interactive-tool'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'

const KINDS: readonly unknown[] = ['approval', 'question', 'form'] satisfies readonly InteractiveTool['kind'][]

/** The entries of a module's default export. Its code runs now, inside the gateway. */
export async function loadTools(file: string): Promise<readonly InteractiveTool[]> {
  const path = resolve(file)
  const wrong = (why: string) => new CliError(`--tools ${terminalText(file)}: ${why}`, EXIT.usage)
  if (!existsSync(path)) throw wrong('there is no such file.')
  let loaded: { readonly default?: unknown }
  try {
    loaded = (await import(pathToFileURL(path).href)) as typeof loaded
  } catch (error) {
    throw wrong(`it cannot be loaded: ${terminalText(error instanceof Error ? error.message : String(error))}`)
  }
  const entries = loaded.default
  if (!Array.isArray(entries) || entries.length === 0)
    throw wrong('its default export must be a list of interactive tools: export default [tool, …]')
  for (const [place, entry] of entries.entries()) {
    const problem = problemOf(entry)
    if (problem !== undefined) throw wrong(`entry ${place + 1} ${problem}.`)
  }
  return entries as InteractiveTool[]
}

function problemOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return 'is not an object'
  const { name, kind, matches, toAsk, fromOutcome } = entry as Partial<Record<string, unknown>>
  if (typeof name !== 'string' || name === '') return 'has no name'
  if (!KINDS.includes(kind)) return `has an unknown kind; the kinds are ${KINDS.join(', ')}`
  if (typeof matches !== 'function') return 'has no "matches" function'
  if (typeof toAsk !== 'function') return 'has no "toAsk" function'
  if (kind !== 'approval' && typeof fromOutcome !== 'function') return `is a ${kind} and has no "fromOutcome" function`
  return undefined
}
