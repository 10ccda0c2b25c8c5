import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ToolUseBlock, use } from '@holdpoint/demo-model/script'
import type { Folders, RealClaude, SeenAsk } from '@holdpoint/testing/real-claude'
import { beforeAll, vi } from 'vitest'
import { assertMeasuredVersion } from './measured-version.ts'

/** Opens every file of the suite. Each run is a process of 200 MB: three at a time is what two cores bear. */
export function canary(): void {
  vi.setConfig({ maxConcurrency: 3, testTimeout: 30_000 })
  beforeAll(assertMeasuredVersion)
}

export const touch = (name: string): ToolUseBlock => use('Bash', { command: `touch ${name}` })

export const allow = ({ input }: SeenAsk) => ({ behavior: 'allow' as const, updatedInput: input })
export const deny = () => ({ behavior: 'deny' as const, message: 'no' })

/** An answer that waits until the test gives it. */
export function held<T>() {
  let give: (value: T) => void = () => {}
  const answer = new Promise<T>((resolve) => {
    give = resolve
  })
  return { answer, give }
}

export async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, JSON.stringify(value))
}

export const projectSettings = ({ cwd }: Folders, settings: unknown) =>
  writeJson(join(cwd, '.claude/settings.json'), settings)

export const userSettings = ({ home }: Folders, settings: unknown) =>
  writeJson(join(home, '.claude/settings.json'), settings)

/** As if a person had accepted Claude Code's own trust dialog for the folder. */
export const trust = ({ home, cwd }: Folders) =>
  writeJson(join(home, '.claude/.claude.json'), { projects: { [cwd]: { hasTrustDialogAccepted: true } } })

export function firstAsk(claude: RealClaude): Promise<SeenAsk> {
  return claude.until(() => claude.asks[0], 'the first ask')
}

/** What became of each call, in order: asked or not, ran or blocked. */
export function verdicts(claude: RealClaude): string[] {
  const asked = new Set(claude.asks.map((ask) => ask.context.toolUseID))
  return claude
    .toolResults()
    .map(({ id, isError }) => `${asked.has(id) ? 'asked' : 'unasked'}, ${isError ? 'blocked' : 'ran'}`)
}
