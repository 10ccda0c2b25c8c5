import { fileURLToPath } from 'node:url'
import { readHolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { forgetAttachment, readAttachment, writeAttachment } from './attach/attachment-record.ts'
import { attachedTo, attachTo, isAttached } from './attach/change-settings.ts'
import { checkHookAccess } from './attach/check-hook-access.ts'
import { type ChangeFlags, confirmChange } from './attach/confirm-change.ts'
import { hookCommand, OLDEST_CLAUDE } from './attach/hook-entries.ts'
import { backUp, backupPath, readSettings, settingsPath, writeSettings } from './attach/settings-file.ts'
import { CliError } from './cli-error.ts'
import { withCredential } from './credential.ts'
import { dataFolder } from './data-folder.ts'
import { notRunningWords } from './gateway-address.ts'

/** How long a gateway may take to look at a credential. */
const REPLY_MS = 2000

interface Flags extends ChangeFlags {
  readonly project?: string
  readonly data?: string
  readonly renew?: boolean
}

export function attachCommand(): Command {
  return new Command('attach')
    .description('Let every Claude Code terminal of yours raise its asks here, too.')
    .option('--project <folder>', "one project's terminals only: in its .claude/settings.local.json")
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--yes', 'change the settings without asking')
    .option('--dry-run', 'show the change, and do nothing')
    .option('--diff', 'show every line of the change, not only what it comes to')
    .option('--renew', 'give terminals a credential again, after theirs was revoked in the list of devices')
    .addHelpText(
      'after',
      `
Adds hooks to your Claude Code settings ($CLAUDE_CONFIG_DIR/settings.json, or ~/.claude/settings.json): shows what that
comes to and asks first; "d" at the question, or --diff, shows every line. Nothing else in the file is touched, and a
copy is kept beside it. The terminal still shows its own dialog: the first answer wins. "claude -p", which would be
refused, waits for an answer instead. With no gateway running, terminals are as before. "holdpoint detach" undoes it.

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
  const hookMain = fileURLToPath(new URL('./hook.sh', import.meta.url))
  const command = hookCommand({ node: process.execPath, hookMain, dataDir })
  const file = readSettings(path)
  if (isAttached(file.text, command)) {
    console.error(`Already attached: ${path} has the hooks for ${dataDir}.`)
    return sayState(dataDir, flags)
  }
  await refuseOldClaude()
  const attached = attachedTo(file.text)
  const earlier = attached?.data ?? dataDir
  const { text, attachment } = attachTo(file, command, readAttachment(earlier, file.target))
  if (!(await confirmChange(file, text, flags))) return

  const { prepareDataFolder } = await import('@holdpoint/store/data-folder')
  prepareDataFolder(dataDir)
  backUp(file, { isFirst: attached === undefined })
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
  await sayState(dataDir, flags)
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

async function sayState(dataDir: string, flags: Flags): Promise<void> {
  const holder = await readHolder(dataDir).catch(() => undefined)
  if (holder?.url === undefined) {
    console.error(`${notRunningWords(dataDir, flags.data)} Until then terminals work as before.`)
    return
  }
  let trouble = await troubleOfHooks(dataDir)
  if (trouble === REVOKED && flags.renew) {
    await withCredential(holder.url, (api) => api.call('POST', '/api/terminals/access'))
    console.error('Terminals have a new credential.')
    trouble = await troubleOfHooks(dataDir)
  }
  if (trouble !== undefined)
    console.error(`Asks will stay at their terminals for now: the gateway at ${holder.url} ${trouble}`)
}

const REVOKED =
  'does not take their credential any more, which was revoked in the list of devices. "holdpoint attach --renew" gives them another.'

async function troubleOfHooks(dataDir: string): Promise<string | undefined> {
  const access = await checkHookAccess(dataDir, AbortSignal.timeout(REPLY_MS))
  return { heard: undefined, refused: REVOKED, absent: 'is too old for this: start it again.' }[access]
}
