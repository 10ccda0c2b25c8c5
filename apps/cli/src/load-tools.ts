import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InteractiveTool } from '@holdpoint/agents/claude/interactive-tool'
import { CliError, EXIT } from './cli-error.ts'
import { terminalText } from './terminal-text.ts'

const KINDS: readonly unknown[] = ['approval', 'question', 'form'] satisfies readonly InteractiveTool['kind'][]

/** The entries that a module exports by default. It runs here and now, as part of the gateway. */
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
    throw wrong('it has to export a list of interactive tools by default: export default [tool, …]')
  for (const [place, entry] of entries.entries()) {
    const problem = problemOf(entry)
    if (problem !== undefined) throw wrong(`entry ${place + 1} ${problem}.`)
  }
  return entries as InteractiveTool[]
}

function problemOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return 'is no object'
  const { name, kind, matches, toAsk, fromOutcome } = entry as Partial<Record<string, unknown>>
  if (typeof name !== 'string' || name === '') return 'has no name'
  if (!KINDS.includes(kind)) return `has a kind that is none of ${KINDS.join(', ')}`
  if (typeof matches !== 'function') return 'has no function matches'
  if (typeof toAsk !== 'function') return 'has no function toAsk'
  if (kind !== 'approval' && typeof fromOutcome !== 'function') return `is a ${kind} and has no function fromOutcome`
  return undefined
}
