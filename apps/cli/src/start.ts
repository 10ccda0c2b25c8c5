import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { refuseBind } from '@holdpoint/server/bind-check'
import { DIALECTS, type DialectName } from '@holdpoint/server/dialects/dialect'
import { createLog, LOG_LEVELS, type LogLevel } from '@holdpoint/server/log'
import { Command, InvalidArgumentError, Option } from 'commander'
import { anotherOrigin } from './another-origin.ts'
import { CliError, EXIT } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { duration } from './duration.ts'
import { loadTools } from './load-tools.ts'

const DEFAULT_PORT = 4680
const MAX_PORT = 65_535
const MIN_TOKEN = 32
const CLOSE_LIMIT_MS = 4500
const NEXT_STEPS =
  'Open the link in a browser: it logs you in, once, within five minutes. Enter prints a fresh one. The app offers a demo that needs no key. Ctrl-C stops; agents wait.\n'

interface Flags {
  host: string
  port?: number
  data?: string
  demo?: boolean
  tlsCert?: string
  tlsKey?: string
  publicUrl?: string
  allowOrigin: readonly string[]
  idleMinutes: number
  askTimeout?: number
  tools?: string
  maxConnections: number
  dialects?: readonly DialectName[]
  logLevel: LogLevel
}

export function startCommand(): Command {
  return new Command('start')
    .description('Start the gateway and print a link to log in with.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <number>',
      `port to listen on, 0 for a free one (default: HOLDPOINT_PORT or ${DEFAULT_PORT})`,
      portNumber,
    )
    .option('--data <folder>', 'where everything is kept (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--demo', 'start a demo session too: real asks, no key needed')
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM)')
    .option('--tls-key <file>', "the certificate's key (PEM)")
    .option('--public-url <url>', 'HTTPS address of a tunnel or proxy in front')
    .option(
      '--allow-origin <origin>',
      "origin of a page that may call from elsewhere with a bearer token, such as a desktop shell's; may be repeated",
      anotherOrigin,
      [],
    )
    .option(
      '--idle-minutes <number>',
      'end sessions that wait for your next message longer than this',
      wholeNumber,
      720,
    )
    .option(
      '--ask-timeout <time>',
      'how long asks of new sessions wait before the agent is told that nobody was there, such as 90s, 5m, 2h or 1d (default: for ever)',
      duration,
    )
    .option(
      '--tools <file>',
      'JavaScript module whose default export is a list of interactive tools; it runs with all rights of the gateway',
    )
    .option('--max-connections <number>', 'open streams a bearer token may have', wholeNumber, 2000)
    .option(
      '--dialects <names>',
      `protocols to speak beside the native one: ${DIALECTS.join(',')}, or none (default: HOLDPOINT_DIALECTS or all)`,
      dialectNames,
    )
    .addOption(new Option('--log-level <level>', 'what to log to stderr').choices(LOG_LEVELS).default('info'))
    .addHelpText(
      'after',
      `
Environment:
  HOLDPOINT_TOKEN   bearer token for automation, at least ${MIN_TOKEN} characters
  HOLDPOINT_DATA, HOLDPOINT_PORT, HOLDPOINT_DIALECTS   as --data, --port and --dialects
  HOLDPOINT_CLAUDE  path of the claude to run, instead of the one that comes along
  Everything else is passed on to the agents: ANTHROPIC_API_KEY, proxies, and so on.

Example:
  holdpoint start --demo`,
    )
    .action(start)
}

async function start(flags: Flags): Promise<void> {
  const dataDir = dataFolder(flags.data)
  const tls = readTls(flags)
  const token = checkedToken(process.env.HOLDPOINT_TOKEN)
  const publicUrl = checkedUrl(flags.publicUrl)
  checkStore(process.env.HOLDPOINT_STORE)
  const refused = refuseBind({ host: flags.host, hasTls: tls !== undefined, ...(publicUrl && { publicUrl }) })
  if (refused) throw new CliError(refused, EXIT.refused)
  const port = flags.port ?? fromEnvironment('HOLDPOINT_PORT', portNumber) ?? DEFAULT_PORT
  const dialects = flags.dialects ?? fromEnvironment('HOLDPOINT_DIALECTS', dialectNames)
  const interactiveTools = flags.tools === undefined ? undefined : await loadTools(flags.tools)
  const log = createLog({ level: flags.logLevel, write: (line) => process.stderr.write(line), now: Date.now })

  const { startGateway } = await import('@holdpoint/server/start-gateway')
  // One session's slip must not take the others down.
  process.on('unhandledRejection', (error) => log.error('a promise was dropped', { error: String(error) }))
  const gateway = await startGateway({
    dataDir,
    host: flags.host,
    port,
    ...(token !== undefined && { token }),
    ...(publicUrl && { publicUrl }),
    allowOrigins: flags.allowOrigin,
    ...(tls && { tls }),
    ...(dialects && { dialects }),
    idleMs: flags.idleMinutes * 60_000,
    ...(flags.askTimeout !== undefined && { askTimeoutMs: flags.askTimeout }),
    ...(interactiveTools && { interactiveTools }),
    limits: { connectionsPerBrowser: 32, connectionsPerToken: flags.maxConnections },
    log,
    webFolder: fileURLToPath(new URL('./web', import.meta.url)),
    hostMain: fileURLToPath(new URL('./host.js', import.meta.url)),
    ...(process.env.HOLDPOINT_CLAUDE && { claude: process.env.HOLDPOINT_CLAUDE }),
    environment: process.env,
  })

  const over = new Promise<void>((resolve) => {
    let stopping = false
    const stop = (signal: NodeJS.Signals) => {
      // One Ctrl-C may arrive twice, from the terminal and through npm: the second must not cut the first short.
      if (stopping) return
      stopping = true
      log.info('stopping; agents and open asks wait for the next start', { signal })
      setTimeout(() => process.exit(0), CLOSE_LIMIT_MS).unref()
      void gateway.close().then(resolve, (error: unknown) => {
        log.error('stopping failed', { error: String(error) })
        resolve()
      })
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  })
  if (flags.demo) await startDemo(gateway)
  process.stdout.write(`Holdpoint is ready: ${gateway.loginLink()}\n`)
  if (process.stdout.isTTY) process.stderr.write(NEXT_STEPS)
  if (process.stdin.isTTY && process.stdout.isTTY) offerLinks(gateway)
  await over
  process.exit(0)
}

/** Whoever sits at the gateway's own terminal is its owner; agents, though they are the same user, do not sit there. */
function offerLinks(gateway: { loginLink(): string }) {
  process.stdin.setEncoding('utf8').on('data', (typed: string) => {
    if (/[\r\n]/.test(typed)) process.stdout.write(`A fresh link: ${gateway.loginLink()}\n`)
  })
  // Reading must not keep a gateway alive that has been told to stop.
  process.stdin.unref()
}

async function startDemo(gateway: { context: import('@holdpoint/server/context').Context }) {
  const cwd = await gateway.context.scratchFolder('demo')
  if (cwd === undefined) return
  await gateway.context.sessions.start({
    agent: 'demo',
    cwd,
    prompt: 'Show me around',
    title: 'Tour',
    permissionMode: 'default',
    gate: 'default',
    onTimeout: 'deny',
    trusted: false,
  })
}

function readTls(flags: Flags) {
  if (flags.tlsCert === undefined && flags.tlsKey === undefined) return undefined
  if (flags.tlsCert === undefined || flags.tlsKey === undefined) {
    throw new CliError('TLS needs both --tls-cert and --tls-key.', EXIT.usage)
  }
  try {
    return { cert: readFileSync(flags.tlsCert), key: readFileSync(flags.tlsKey) }
  } catch (error) {
    throw new CliError(`The TLS files cannot be read: ${(error as Error).message}`, EXIT.usage)
  }
}

function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  if (token.length < MIN_TOKEN || /\s/.test(token)) {
    throw new CliError(
      `HOLDPOINT_TOKEN must have at least ${MIN_TOKEN} characters and no spaces. Make one with: openssl rand -hex 32`,
      EXIT.usage,
    )
  }
  return token
}

function checkedUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
    throw new CliError('--public-url must be an https:// address.', EXIT.usage)
  }
  return new URL(url).origin
}

function checkStore(store: string | undefined) {
  if (store === undefined || store === '' || store === 'sqlite:') return
  throw new CliError(
    `HOLDPOINT_STORE=${store.split(':')[0]}: is not available: leave it out, or set "sqlite:".`,
    EXIT.usage,
  )
}

function fromEnvironment<Value>(name: string, parse: (text: string) => Value): Value | undefined {
  const value = process.env[name]
  if (value === undefined || value === '') return undefined
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new CliError(`${name}=${value}: ${error.message}.`, EXIT.usage)
  }
}

function dialectNames(value: string): readonly DialectName[] {
  const names = value === 'none' ? [] : value.split(',').map((name) => name.trim())
  const isDialect = (name: string): name is DialectName => DIALECTS.some((known) => known === name)
  const unknown = names.find((name) => !isDialect(name))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`there is no dialect "${unknown}": take some of ${DIALECTS.join(', ')}, or none`)
  }
  return names.filter(isDialect)
}

function portNumber(value: string): number {
  const port = wholeNumber(value)
  if (port > MAX_PORT) throw new InvalidArgumentError(`a port is at most ${MAX_PORT}`)
  return port
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('a whole number is needed')
  return Number(value)
}
