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
    .description('Undo attach: terminals ask nobody but whoever sits at them.')
    .option('--project <folder>', "one project's terminals only: in its .claude/settings.local.json")
    .option('--yes', 'change the settings without asking')
    .option('--dry-run', 'show the change, and do nothing')
    .option('--diff', 'show every line of the change, not only what it comes to')
    .addHelpText(
      'after',
      `
Takes out what "holdpoint attach" put in, to the last byte, and leaves everything else as it is. Exits with 0 when
nothing is attached (any more), 1 when the file was left alone, 2 when there is nobody to ask.

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
  console.error('Detached: Claude Code sessions ask at their terminals only.')
}
