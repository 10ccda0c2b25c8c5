import { Command } from 'commander'
import { forgetAttachment, readAttachment } from './attach/attachment-record.ts'
import { attachedTo, detachFrom } from './attach/change-settings.ts'
import { type ChangeFlags, confirmChange } from './attach/confirm-change.ts'
import { dropBackup, readSettings, settingsPath, writeSettings } from './attach/settings-file.ts'
import { dataFolder } from './data-folder.ts'

interface Flags extends ChangeFlags {
  readonly project?: string
}

export function detachCommand(): Command {
  return new Command('detach')
    .description('Remove the Claude Code hooks: asks appear only in their terminals.')
    .option('--project <folder>', "change only one project's settings: its .claude/settings.local.json")
    .option('--yes', 'change the settings without asking')
    .option('--dry-run', 'show the change without making it')
    .option('--diff', 'show every changed line, not only a summary')
    .addHelpText(
      'after',
      `
Removes exactly what "holdpoint attach" added and leaves the rest of the file as it is. Exit codes: 0 when no hooks of
Holdpoint are left, 1 when the file was not changed, 2 when it could not ask you because there is no terminal.

Example:
  holdpoint detach --yes`,
    )
    .action(detach)
}

async function detach(flags: Flags): Promise<void> {
  const path = settingsPath(flags.project)
  const file = readSettings(path)
  const found = attachedTo(file.text)
  if (file.text === undefined || !found) {
    console.error(`Not attached: ${path} has no hooks of Holdpoint.`)
    return
  }
  const dataDir = found.data ?? dataFolder(undefined)
  const text = detachFrom(file.text, readAttachment(dataDir, file.target))
  if (!(await confirmChange(file, text, flags))) return
  writeSettings(file, text)
  forgetAttachment(dataDir, file.target)
  dropBackup(path)
  console.error('Detached: asks appear only in their terminals.')
}
