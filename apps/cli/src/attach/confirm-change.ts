import { CliError, EXIT } from '../console/cli-error.ts'
import { canPrompt, promptLine } from '../console/prompt.ts'
import type { SettingsFile } from './settings-file.ts'
import { settingsSummary } from './settings-summary.ts'

export interface ChangeFlags {
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly diff?: boolean
}

/** Shows what would change, and asks for a yes. False for a dry run: then showing it was all. */
export async function confirmChange(
  file: SettingsFile,
  text: string | undefined,
  { yes, dryRun, diff }: ChangeFlags,
): Promise<boolean> {
  const { settingsDiff } = await import('./settings-diff.ts')
  const showAll = () => console.log(settingsDiff(file.path, file.text, text))
  const summary = settingsSummary(file.path, file.text, text)
  if (summary) console.log(summary.join('\n'))
  if (diff || !summary) showAll()
  if (dryRun) return false
  if (yes) return true
  if (!canPrompt()) {
    throw new CliError(
      `Nothing was changed: there is no terminal to ask you in. Use --yes to change ${file.path} without confirming.`,
      EXIT.usage,
    )
  }
  for (;;) {
    const typed = await promptLine(`Change ${file.path} like this? [y/N, d shows every changed line] `)
    const answer = typed.trim().toLowerCase()
    if (answer === 'y' || answer === 'yes') return true
    if (answer !== 'd') throw new CliError('Nothing was changed.')
    showAll()
  }
}
