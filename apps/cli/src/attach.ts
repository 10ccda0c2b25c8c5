import { fileURLToPath } from 'node:url'
import { WHEN_STOPPED, type WhenStopped } from '@holdpoint/agents/claude/hooks/hook-command'
import { paths } from '@holdpoint/schema/paths'
import { readHolder } from '@holdpoint/store/data-lock'
import { Command, Option } from 'commander'
import { forgetAttachment, readAttachment, writeAttachment } from './attach/attachment-record.ts'
import { attachedTo, attachTo, isAttached } from './attach/change-settings.ts'
import { checkHookAccess } from './attach/check-hook-access.ts'
import { type ChangeFlags, confirmChange } from './attach/confirm-change.ts'
import { OLDEST_CLAUDE, wantedHooks } from './attach/hook-entries.ts'
import { backUp, backupPath, readSettings, settingsPath, writeSettings } from './attach/settings-file.ts'
import { othersThatDecide } from './attach/settings-summary.ts'
import { CliError } from './console/cli-error.ts'
import { withCredential } from './credential.ts'
import { dataFolder } from './data-folder.ts'
import { gatewayAddresses, notRunningWords } from './gateway-address.ts'

/** How long a gateway may take to check a credential. */
const REPLY_MS = 2000

interface Flags extends ChangeFlags {
  readonly project?: string
  readonly data?: string
  readonly renew?: boolean
  readonly whenStopped?: WhenStopped
}

export function attachCommand(): Command {
  return new Command('attach')
    .description('Install the Claude Code hooks: asks of your own terminals also appear in Holdpoint.')
    .option('--project <folder>', "change only one project's settings: its .claude/settings.local.json")
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--yes', 'change the settings without asking')
    .option('--dry-run', 'show the change without making it')
    .option('--diff', 'show every changed line, not only a summary')
    .addOption(
      new Option(
        '--when-stopped <what>',
        'while no gateway runs: "ask-here" leaves calls to the terminal, "deny" denies them (default: as before, else ask-here)',
      ).choices(WHEN_STOPPED),
    )
    .option('--renew', 'give terminals a new credential after theirs was revoked in the list of devices')
    .addHelpText(
      'after',
      `
Adds hooks to your Claude Code settings ($CLAUDE_CONFIG_DIR/settings.json, or ~/.claude/settings.json). Before that, it
shows a summary and asks you to confirm; answer "d", or use --diff, to see every changed line. The rest of the file stays
as it is, and a copy of it is kept next to it. The terminal still shows its own dialog: the first answer wins.
Your rules hold in terminals too, in every mode. If a rule asks, the terminal shows its dialog. In bypassPermissions, and
if your settings have other hooks that could answer for you, you can answer only in Holdpoint. "claude -p" waits for
your answer instead of being refused. While no gateway is running, terminals work as before, or deny every call
(--when-stopped deny).
"holdpoint detach" removes the hooks.

Run it again after you move or upgrade Holdpoint. Exit codes: 0 when attached, 1 when the file was not changed, 2 when
it could not ask you because there is no terminal.

Examples:
  holdpoint attach
  holdpoint attach --when-stopped deny
  holdpoint attach --project ~/code/shop --yes`,
    )
    .action(attach)
}

async function attach(flags: Flags): Promise<void> {
  const dataDir = dataFolder(flags.data)
  const path = settingsPath(flags.project)
  const hookMain = fileURLToPath(new URL('./hook.sh', import.meta.url))
  const file = readSettings(path)
  const attached = attachedTo(file.text)
  const whenStopped = flags.whenStopped ?? attached?.whenStopped ?? 'ask-here'
  const wanted = wantedHooks({ node: process.execPath, hookMain, dataDir }, whenStopped)
  if (isAttached(file.text, wanted)) {
    console.error(`Already attached: ${path} has the hooks for ${dataDir}.`)
    return sayState(dataDir, flags)
  }
  await refuseOldClaude()
  const earlier = attached?.data ?? dataDir
  const { text, attachment } = attachTo(file, wanted, readAttachment(earlier, file.target))
  if (!(await confirmChange(file, text, flags))) return

  const { prepareDataFolder } = await import('@holdpoint/store/data-folder')
  prepareDataFolder(dataDir)
  backUp(file, { isFirst: attached === undefined })
  // Before the file: a record of a change that was not made does no harm.
  writeAttachment(dataDir, file.target, attachment)
  writeSettings(file, text)
  if (earlier !== dataDir) forgetAttachment(earlier, file.target)
  console.error(
    `Attached: the asks of Claude Code terminals, also of those already running, now appear in Holdpoint too.${file.bytes ? ` The file as it was before: ${backupPath(path)}` : ''}`,
  )
  if (/[\\/]_npx[\\/]/.test(hookMain)) {
    console.error(
      'This Holdpoint is in the cache of npx, which may be deleted. Install it (npm install -g holdpoint) and attach again.',
    )
  }
  const others = othersThatDecide(text)
  if (others.length > 0) {
    console.error(
      `${path} has other hooks that could answer for you (${others.join(', ')}). So if a rule asks, the terminal shows no dialog. Answer in Holdpoint.`,
    )
  }
  if (hooksAreOff(text)) {
    console.error(
      `${path} disables all hooks ("disableAllHooks"). Until you remove that setting, asks appear only in their terminals.`,
    )
  }
  await sayState(dataDir, flags)
}

function hooksAreOff(text: string | undefined): boolean {
  return (JSON.parse(text ?? '{}') as { disableAllHooks?: unknown }).disableAllHooks === true
}

/** An old version ignores the whole settings file when it does not know one of the events. */
async function refuseOldClaude(): Promise<void> {
  const { machineFolders, programIn } = await import('@holdpoint/agents/claude/program/machine-programs')
  const { claudeOnPath } = await import('@holdpoint/agents/claude/program/claude-on-path')
  const found = await programIn(machineFolders(process.env), 'claude')
  if (found === undefined || (await claudeOnPath(process.env, OLDEST_CLAUDE)) !== undefined) return
  throw new CliError(
    `${found} is older than ${OLDEST_CLAUDE}, or its version cannot be read. With these hooks, an older Claude Code would ignore your whole settings file. Update it ("claude update") and attach again.`,
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
    await withCredential(
      () => gatewayAddresses({ data: dataDir }),
      (api) => api.call(paths.terminals.renewAccess, {}),
    )
    console.error('Terminals have a new credential.')
    trouble = await troubleOfHooks(dataDir)
  }
  if (trouble !== undefined)
    console.error(`Asks appear only in their terminals for now: the gateway at ${holder.url} ${trouble}`)
}

const REVOKED =
  'rejects the credential of the terminals, because it was revoked in the list of devices. "holdpoint attach --renew" gives them a new one.'

async function troubleOfHooks(dataDir: string): Promise<string | undefined> {
  const access = await checkHookAccess(dataDir, AbortSignal.timeout(REPLY_MS))
  return {
    heard: undefined,
    refused: REVOKED,
    absent: 'does not receive hooks, because it is an older version. Stop it and start it again.',
  }[access]
}
