import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Ask } from '@holdpoint/schema/ask'
import { FOUND_LIVES } from '@holdpoint/schema/endpoints/asks'
import { paths } from '@holdpoint/schema/paths'
import { shortId } from './abbreviation.ts'
import type { Api } from './api.ts'
import { ASK_EXIT } from './ask/ask-exit.ts'
import { type AskResult, askResult, type SettledAsk } from './ask/ask-result.ts'
import { titleOf, wholeQuestion } from './ask/question-text.ts'
import { titled, whoAsks } from './ask/who-asks.ts'
import { within } from './ask/within.ts'
import { type Asker, createAsker } from './asker.ts'
import { CliError } from './console/cli-error.ts'
import { terminalJson, terminalLines, terminalText } from './console/terminal-text.ts'
import { timeWords } from './console/time-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { outcomeWords } from './outcome-words.ts'
import { raiserApi } from './raiser-api.ts'

/** How long somebody who presses Ctrl-C waits for the ask to be withdrawn. */
const WITHDRAW_MS = 5000

export interface AskFlags extends AddressFlags {
  readonly option?: readonly string[]
  readonly detail?: string
  readonly timeout?: number
  readonly key?: string
  readonly from?: string
  readonly json?: boolean
}

/** Asks, waits, prints; gives the exit code. */
export async function runAsk(question: string, flags: AskFlags): Promise<number> {
  const api = raiserApi(flags)
  const asker = createAsker({
    api,
    key: flags.key ?? randomUUID(),
    title: () => titled(flags.from ?? whoAsks()),
    cwd: process.cwd(),
    say: (words) => console.error(words),
  })
  const detail = await detailOf(flags.detail)
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    const ask = await raise(asker, question, { flags, detail })
    if (!ask.outcome && !interrupted.signal.aborted) await tellWhere(await api(), ask)
    const settled = await asker.outcome(ask, interrupted.signal)
    if (!settled) return await withdraw(asker, ask)
    // Not needed any more: where it cannot be ended, it ends by itself.
    await asker.leave().catch(() => {})
    return tell(settled, flags.json === true)
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * The ask of this key. One that the command itself has withdrawn, on Ctrl-C, is asked again under the next request id: who
 * runs it again wants an answer. Every other outcome stands, so no try is left out: its request has to be found.
 */
async function raise(
  asker: Asker,
  question: string,
  { flags, detail }: { flags: AskFlags; detail: string | undefined },
): Promise<Ask> {
  for (let tries = 1; tries <= FOUND_LIVES; tries++) {
    const ask = await asker.raise({
      requestId: tries === 1 ? 'ask' : `ask.${tries}`,
      kind: 'question',
      title: titleOf(question),
      questions: [
        { question: wholeQuestion(question, detail), options: (flags.option ?? []).map((label) => ({ label })) },
      ],
      ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
    })
    if (ask.outcome?.reason !== 'agent-cancelled') return ask
  }
  throw new CliError('This --key was withdrawn too often. Use another one.')
}

async function tellWhere(api: Api, ask: Ask): Promise<void> {
  const { publicUrl } = await api.call(paths.account.me, {}).catch(() => ({ publicUrl: undefined }))
  const where = publicUrl === undefined ? 'in Holdpoint' : `at ${publicUrl}/asks/${ask.id}`
  const until = ask.expiresAt === undefined ? '' : ` until ${timeWords(ask.expiresAt)}`
  console.error(`Waiting for an answer ${where}${until} (ask ${shortId(ask.id)}). Ctrl-C withdraws it.`)
}

async function withdraw(asker: Asker, ask: Ask): Promise<number> {
  console.error('Withdrawing the ask …')
  try {
    const outcome = await within(WITHDRAW_MS, asker.withdraw(ask))
    await asker.leave().catch(() => {})
    const how = outcomeWords(outcome, { now: Date.now(), ask })
    console.error(outcome.kind === 'withdrawn' ? 'The ask is withdrawn.' : `It was too late to withdraw it: ${how}.`)
  } catch {
    console.error(`The ask could not be withdrawn: ${shortId(ask.id)} is still open.`)
  }
  return ASK_EXIT.interrupted
}

function tell(settled: SettledAsk, asJson: boolean): number {
  const result = askResult(settled)
  console.error(sentence(`${outcomeWords(settled.outcome, { now: Date.now(), ask: settled })}.`))
  if (asJson) console.log(terminalJson(result))
  else if (result.answer !== undefined) console.log(printable(result.answer))
  return exitCodeOf(result, settled)
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** As it is for a program that reads it; a terminal must not be written to by whoever answers. */
function printable(answer: string): string {
  return process.stdout.isTTY ? terminalLines(answer).join('\n') : answer
}

function exitCodeOf({ status, option }: AskResult, { questions = [] }: Ask): number {
  if (status === 'expired') return ASK_EXIT.expired
  if (status !== 'answered') return ASK_EXIT.refused
  const isFree = questions[0]?.options.length === 0
  return isFree || option === 1 ? ASK_EXIT.first : ASK_EXIT.another
}

async function detailOf(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined
  if (given === '-') return (await text(process.stdin)).trimEnd()
  if (!given.startsWith('@')) return given
  try {
    return readFileSync(given.slice(1), 'utf8').trimEnd()
  } catch (error) {
    throw new CliError(
      `--detail: ${terminalText(given.slice(1))} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
