import { randomUUID } from 'node:crypto'
import type { Ask } from '@holdpoint/schema/ask'
import { paths } from '@holdpoint/schema/paths'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { Argument, Command, Option } from 'commander'
import { ANSWER_KINDS, type AnswerFlags, type AnswerKind, answerFromFlags } from './answer-from-flags.ts'
import { answerDetails } from './answer-words.ts'
import { type Api, ApiError } from './api.ts'
import { askDetail } from './ask-detail.ts'
import { findAsk } from './ask-lookup.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { fencedLine } from './console/fence.ts'
import { canPrompt, promptLine } from './console/prompt.ts'
import { terminalText } from './console/terminal-text.ts'
import { settledWords } from './failure-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { outcomeWords } from './outcome-words.ts'
import { machinesOf } from './session-machines.ts'
import { untilReplied } from './until-replied.ts'
import { addressOptions, withApi } from './with-api.ts'

const MODES = [
  'default',
  'acceptEdits',
  'dontAsk',
  'auto',
  'bypassPermissions',
] as const satisfies readonly PermissionMode[]

type Flags = AddressFlags & AnswerFlags & { readonly yes?: boolean }

export function answerCommand(): Command {
  return addressOptions(new Command('answer'))
    .description('Answer an ask. The command shows it first and, in a terminal, asks you to confirm an allow.')
    .argument('<ask>', 'id of an open ask, or at least four characters of its beginning or end')
    .addArgument(new Argument('<answer>', 'your answer').choices(ANSWER_KINDS))
    .option('--message <text>', 'deny: message to the agent')
    .option('--interrupt', "deny: also end the agent's turn")
    .option('--input <json>', 'allow: run with this input instead (JSON, or @file)')
    .option('--remember', 'allow: also allow exactly this call without asking until the session ends')
    .option(
      '--choose <option>',
      'answer: an option, by its number or label; with several questions, QUESTION=OPTION (repeatable)',
      collect,
    )
    .option('--other <text>', 'answer: your own words; with several questions, QUESTION=TEXT (repeatable)', collect)
    .option('--plan <text>', 'allow a plan: your edited version of it (text, or @file)')
    .addOption(new Option('--mode <mode>', 'allow a plan: permission mode in which the agent continues').choices(MODES))
    .option('--field <name=value>', 'submit: a field of the form (repeatable)', collect)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Exits with 5 when the answer is refused: somebody else was first, or it does not fit the ask.

Examples:
  holdpoint answer bjymcs allow
  holdpoint answer bjymcs deny --message "Use the staging database."
  holdpoint answer bjymcs answer --choose 2
  holdpoint answer bjymcs answer --choose 1=Yes --choose 2=Red --choose 2=Blue
  holdpoint answer bjymcs submit --field name=Ada --field subscribe=true`,
    )
    .action(answer)
}

async function answer(given: string, kind: AnswerKind, flags: Flags): Promise<void> {
  const { data, url, yes, ...answerFlags } = flags
  await withApi({ ...(data !== undefined && { data }), ...(url !== undefined && { url }) }, async (api) => {
    const ask = await findAsk(api, given)
    if (ask.outcome) throw new CliError(settledWords(ask.outcome, ask), EXIT.refused)
    const sent = answerFromFlags(ask, kind, answerFlags)
    await show(api, ask)
    const words = [...(kind === 'answer' ? [] : [kind]), ...answerDetails(sent)]
    console.error(`\nYour answer: ${words.join(', ')}`)
    if (answerFlags.remember && ask.remember) {
      const width = { columns: process.stderr.columns }
      console.error(
        [
          'Exactly this will be allowed without asking until the session ends:',
          ...fencedLine(ask.remember.rule, width),
        ].join('\n'),
      )
    }
    if (kind === 'allow' && !yes && canPrompt()) await confirm()
    // One key for all tries: where the reply was lost, the next one says what was recorded.
    const idempotencyKey = randomUUID()
    const { outcome } = await untilReplied(() =>
      api.call(paths.asks.answer, { params: { id: ask.id }, body: sent }, { idempotencyKey }),
    ).catch((error: unknown) => {
      const first = error instanceof ApiError && error.code === 'already_settled' ? error.outcome : undefined
      throw first ? new CliError(settledWords(first, ask), EXIT.refused) : error
    })
    console.log(`${ask.id} ${outcomeWords(outcome, { now: Date.now(), ask })}`)
    if (outcome.notRemembered !== undefined)
      console.error(`It was allowed once, but not remembered: ${terminalText(outcome.notRemembered)}`)
  })
}

async function show(api: Api, ask: Ask): Promise<void> {
  const session = await api.call(paths.sessions.read, { params: { id: ask.sessionId } })
  const lines = askDetail(ask, {
    sessionTitle: session.title,
    machine: (await machinesOf(api, [session]))?.get(session.id),
    now: Date.now(),
    columns: process.stderr.columns,
    answering: true,
  })
  console.error(lines.join('\n'))
}

async function confirm(): Promise<void> {
  const typed = (await promptLine('Allow it? [y/N] ')).trim().toLowerCase()
  if (typed !== 'y' && typed !== 'yes') throw new CliError('Not sent: the ask is still open.')
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}
