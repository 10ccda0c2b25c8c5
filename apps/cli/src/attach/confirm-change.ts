import { CliError, EXIT } from '../cli-error.ts'
import { canPrompt, promptLine } from '../prompt.ts'
import type { SettingsFile } from './settings-file.ts'

export interface ChangeFlags {
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** Shows what would change, and asks for a yes. False for a dry run: then showing it was all. */
export async function confirmChange(
  file: SettingsFile,
  text: string | undefined,
  { yes, dryRun }: ChangeFlags,
): Promise<boolean> {
  const { settingsDiff } = await import('./settings-diff.ts')
  console.log(settingsDiff(file.path, file.text, text))
  if (dryRun) return false
  if (yes) return true
  if (!canPrompt()) {
    throw new CliError(
      `Nothing was changed: there is no terminal to ask you in. Say --yes to change ${file.path} without being asked.`,
      EXIT.usage,
    )
  }
  const answer = await promptLine(`Change ${file.path} like this? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.')
  return true
}
