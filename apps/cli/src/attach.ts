import { fileURLToPath } from 'node:url'
import { readTerminalFile } from '@holdpoint/agents/hook/terminal-file'
import { readHolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { ApiError, createApi } from './api.ts'
import { forgetAttachment, readAttachment, writeAttachment } from './attach/attachment-record.ts'
import { attachedTo, attachTo, isAttached } from './attach/change-settings.ts'
import { type ChangeFlags, confirmChange } from './attach/confirm-change.ts'
import { hookCommand, OLDEST_CLAUDE } from './attach/hook-entries.ts'
import { backUp, backupPath, readSettings, settingsPath, writeSettings } from './attach/settings-file.ts'
import { CliError } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { notRunningWords } from './gateway-address.ts'

interface Flags extends ChangeFlags {
  readonly project?: string
  readonly data?: string
}

export function attachCommand(): Command {
  return new Command('attach')
    .description('Let every Claude Code terminal of yours raise its asks here, too.')
    .option('--project <folder>', "one project's terminals only: in its .claude/settings.local.json")
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--yes', 'change the settings without asking')
    .option('--dry-run', 'show the change, and do nothing')
    .addHelpText(
      'after',
      `
Adds hooks to your Claude Code settings ($CLAUDE_CONFIG_DIR/settings.json, or ~/.claude/settings.json): shows the change
and asks first. Nothing else in the file is touched, and a copy is kept beside it. The terminal still shows its own
dialog: the first answer wins. "claude -p", which would be refused, waits for an answer instead. With no gateway
running, terminals are as before. "holdpoint detach" undoes it.

Run it again after moving or upgrading Holdpoint. Exits with 0 when attached, 1 when the file was left alone, 2 when
there is nobody to ask.

Examples:
  holdpoint attach
  holdpoint attach --project ~/code/shop --yes`,
    )
    .action(attach)
}

async function attach(flags: Flags): Promise<void> {
  const dataDir = dataFolder(flags.data)
  const path = settingsPath(flags.project)
  const hookMain = fileURLToPath(new URL('./hook.js', import.meta.url))
  const command = hookCommand({ node: process.execPath, hookMain, dataDir })
  const file = readSettings(path)
  if (isAttached(file.text, command)) {
    console.error(`Already attached: ${path} has the hooks for ${dataDir}.`)
    return sayState(dataDir, flags.data)
  }
  await refuseOldClaude()
  const earlier = attachedTo(file.text)?.data ?? dataDir
  const { text, attachment } = attachTo(file, command, readAttachment(earlier, file.target))
  if (!(await confirmChange(file, text, flags))) return

  const { prepareDataFolder } = await import('@holdpoint/store/data-folder')
  prepareDataFolder(dataDir)
  backUp(file)
  // Before the file: a record of something that was not done in the end does no harm.
  writeAttachment(dataDir, file.target, attachment)
  writeSettings(file, text)
  if (earlier !== dataDir) forgetAttachment(earlier, file.target)
  console.error(
    `Attached: Claude Code sessions ask here, too, those included that run already.${file.bytes ? ` ${path} as it was: ${backupPath(path)}` : ''}`,
  )
  if (/[\\/]_npx[\\/]/.test(hookMain)) {
    console.error('This Holdpoint is in a cache of npx. Install it (npm install -g holdpoint) and attach again.')
  }
  if (hooksAreOff(text)) {
    console.error(`${path} turns all hooks off ("disableAllHooks"): asks stay at their terminals until it does not.`)
  }
  await sayState(dataDir, flags.data)
}

function hooksAreOff(text: string | undefined): boolean {
  return (JSON.parse(text ?? '{}') as { disableAllHooks?: unknown }).disableAllHooks === true
}

/** To an old one, an event that it does not know makes the whole settings file void. */
async function refuseOldClaude(): Promise<void> {
  const { machineFolders, programIn } = await import('@holdpoint/agents/claude/machine-programs')
  const { claudeOnPath } = await import('@holdpoint/agents/claude/claude-on-path')
  const found = await programIn(machineFolders(process.env), 'claude')
  if (found === undefined || (await claudeOnPath(process.env, OLDEST_CLAUDE)) !== undefined) return
  throw new CliError(
    `${found} is older than ${OLDEST_CLAUDE}, or does not tell its version; such a Claude Code would ignore all of your settings. Update it ("claude update") and attach again.`,
  )
}

async function sayState(dataDir: string, flag: string | undefined): Promise<void> {
  const holder = await readHolder(dataDir).catch(() => undefined)
  if (holder?.url === undefined) {
    console.error(`${notRunningWords(dataDir, flag)} Until then terminals work as before.`)
    return
  }
  const access = readTerminalFile(dataDir)
  const trouble = access ? await refusalOf(access.url.origin, access.token) : 'is too old for this: start it again'
  if (trouble !== undefined)
    console.error(`Asks will stay at their terminals for now: the gateway at ${holder.url} ${trouble}.`)
}

/** A hook that is none: a credential that counts gets as far as being told so. */
async function refusalOf(url: string, token: string): Promise<string | undefined> {
  try {
    await createApi(url, token).call('POST', '/api/terminals/hook', {})
  } catch (error) {
    if (!(error instanceof ApiError)) return undefined
    if (error.status === 401 || error.status === 403) {
      return 'does not take their credential any more, which was revoked in the list of devices'
    }
    if (error.status === 404) return 'is too old for this: start it again'
  }
  return undefined
}
