import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The versions every fact of this suite was measured on. */
export const measured = { sdk: '0.3.325', claudeCode: '2.1.325' } as const

/** Runs before each group: facts about another version prove nothing. */
export async function assertMeasuredVersion(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk')
  const { version } = JSON.parse(await readFile(join(dirname(entry), 'package.json'), 'utf8'))
  if (version === measured.sdk) return
  throw new Error(
    `the Claude Agent SDK is ${version}, these facts were measured on ${measured.sdk}: re-measure and record`,
  )
}
