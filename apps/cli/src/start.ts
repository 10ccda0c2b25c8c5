import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MACHINE_NAME_LENGTH } from '@holdpoint/schema/endpoints/machines'
import type { Limit } from '@holdpoint/schema/time-limit'
import { TIME_PRESETS } from '@holdpoint/schema/time-presets'
import { DIALECTS, type DialectName } from '@holdpoint/server/dialects/shared/dialect'
import { refuseBind } from '@holdpoint/server/system/bind-check'
import { createLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '@holdpoint/server/system/log'
import { Command, InvalidArgumentError, Option } from 'commander'
import { anotherOrigin } from './another-origin.ts'
import { askLimit } from './ask-limit.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { type DatabaseFlags, databaseAddress, databaseOptions } from './database-address.ts'
import { days } from './days.ts'
import { loadTools } from './load-tools.ts'
import { otherPeople } from './other-people.ts'
import { privatePlace, privatePlaces } from './private-place.ts'

const DEFAULT_PORT = 4680
const MAX_PORT = 65_535
const MIN_TOKEN = 32
const CLOSE_LIMIT_MS = 4500
const NEXT_STEPS =
  'Open the link in a browser to log in. It works once and expires in five minutes; press Enter for a new one. The app offers a demo that needs no API key. Ctrl-C stops the gateway; agents keep waiting.\n'

interface Flags extends DatabaseFlags {
  machineName?: string
  advertise?: string
  host: string
  port?: number
  data?: string
  demo?: boolean
  tlsCert?: string
  tlsKey?: string
  publicUrl?: string
  allowOrigin: readonly string[]
  notifyAllow?: readonly string[]
  idleMinutes: number
  parkAfter: number
  askTimeout?: Limit
  keep?: number
  tools?: string
  policy?: string
  maxConnections: number
  dialects?: readonly DialectName[]
  logLevel: LogLevel
  logFormat?: LogFormat
}

export function startCommand(): Command {
  const command = new Command('start').description('Start the gateway and print a link to log in with.')
  return databaseOptions(command, 'PostgreSQL database that the gateways of several machines share')
    .option(
      '--machine-name <name>',
      'what people call this machine among several, at its first start (default: its host name)',
    )
    .option('--advertise <url>', 'where browsers reach this gateway directly, to see its terminals from another one')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <number>',
      `port to listen on, 0 for a free one (default: HOLDPOINT_PORT or ${DEFAULT_PORT})`,
      portNumber,
    )
    .option('--data <folder>', 'folder for all data of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--demo', 'also start a demo session: real asks, no API key needed')
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--public-url <url>', 'HTTPS address of the tunnel or reverse proxy in front of the gateway')
    .option(
      '--allow-origin <origin>',
      "other origin whose pages may call the API with a bearer token, such as a desktop app's (repeatable)",
      anotherOrigin,
      [],
    )
    .option(
      '--notify-allow <host:port>',
      'private address, or one without TLS, that notifications may be sent to, such as an ntfy server of your network (repeatable; default: HOLDPOINT_NOTIFY_ALLOW or none)',
      privatePlace,
    )
    .option(
      '--idle-minutes <number>',
      'end a session that has waited this long for your next message; counts from when its agent was parked',
      wholeNumber,
      720,
    )
    .option(
      '--park-after <minutes>',
      'end the process of an agent that has had nothing to do for this long; the next message starts it again (0: never)',
      wholeNumber,
      60,
    )
    .option(
      '--ask-timeout <time>',
      `time after which an ask of a new session expires unanswered, such as 90s, 5m, 2h or 1d, or as in a protocol: ${Object.keys(TIME_PRESETS).join(', ')} (default: never)`,
      askLimit,
    )
    .option(
      '--keep <days>',
      'move ended sessions to the archive once they have not changed for this long, such as 90d; a setting made in the app comes first (default: never)',
      days,
    )
    .option(
      '--tools <file>',
      'JavaScript module whose default export is a list of interactive tools; its code runs inside the gateway, with all of its rights',
    )
    .option('--policy <file>', 'file with rules (default: policy.json in the data folder, if there is one)')
    .option('--max-connections <number>', 'maximum number of open streams per bearer token', wholeNumber, 2000)
    .option(
      '--dialects <names>',
      `protocols to serve besides the native one: some of ${DIALECTS.join(',')}, or none (default: HOLDPOINT_DIALECTS or all)`,
      dialectNames,
    )
    .addOption(
      new Option('--log-level <level>', 'least severe level to log to stderr').choices(LOG_LEVELS).default('info'),
    )
    .addOption(
      new Option(
        '--log-format <format>',
        'text for sentences, json for JSON lines (default: text in a terminal, json otherwise)',
      ).choices(LOG_FORMATS),
    )
    .addHelpText(
      'after',
      `
Environment:
  HOLDPOINT_TOKEN   bearer token for automation, at least ${MIN_TOKEN} characters
  HOLDPOINT_DATA, HOLDPOINT_PORT, HOLDPOINT_DIALECTS   same as --data, --port and --dialects
  HOLDPOINT_DATABASE   same as --database, and may have the password
  HOLDPOINT_NOTIFY_ALLOW   same as --notify-allow; several with commas
  HOLDPOINT_CLAUDE  path of the claude program to run instead of the bundled one
  All other variables are passed to the agents: ANTHROPIC_API_KEY, proxy settings, and so on; with a
  database all but those of PostgreSQL's clients (PG…).

Examples:
  holdpoint start --demo
  holdpoint start --database postgres://holdpoint@db.example:5432/holdpoint --machine-name build-1`,
    )
    .action(start)
}

async function start(flags: Flags): Promise<void> {
  const dataDir = dataFolder(flags.data)
  const tls = readTls(flags)
  const token = checkedToken(process.env.HOLDPOINT_TOKEN)
  const publicUrl = checkedUrl(flags.publicUrl)
  const database = sharedDatabase(flags)
  const advertise = checkedAdvertise(flags)
  const refused = refuseBind({ host: flags.host, hasTls: tls !== undefined, ...(publicUrl && { publicUrl }) })
  if (refused) throw new CliError(refused, EXIT.refused)
  const port = flags.port ?? fromEnvironment('HOLDPOINT_PORT', portNumber) ?? DEFAULT_PORT
  const dialects = flags.dialects ?? fromEnvironment('HOLDPOINT_DIALECTS', dialectNames)
  const notifyAllow = flags.notifyAllow ?? fromEnvironment('HOLDPOINT_NOTIFY_ALLOW', privatePlaces)
  const interactiveTools = flags.tools === undefined ? undefined : await loadTools(flags.tools)
  const log = createLog({
    level: flags.logLevel,
    format: flags.logFormat ?? (process.stderr.isTTY ? 'text' : 'json'),
    write: (line) => process.stderr.write(line),
    now: Date.now,
  })

  const people = tls ? [] : await otherPeople(process.geteuid?.())
  if (people.length > 0) log.warn('other_people_on_machine', { users: people })
  const { startGateway } = await import('@holdpoint/server/start-gateway')
  // An unhandled rejection in one session must not end the others.
  process.on('unhandledRejection', (error) => log.error('unhandled_rejection', { error: String(error) }))
  const gateway = await startGateway({
    dataDir,
    ...(database && { database }),
    ...(advertise !== undefined && { advertise }),
    host: flags.host,
    port,
    ...(token !== undefined && { token }),
    ...(publicUrl && { publicUrl }),
    allowOrigins: flags.allowOrigin,
    ...(notifyAllow && { notifyAllow }),
    ...(tls && { tls }),
    ...(dialects && { dialects }),
    idleMs: flags.idleMinutes * 60_000,
    ...(flags.parkAfter > 0 && { parkMs: flags.parkAfter * 60_000 }),
    ...(flags.askTimeout && { timeLimit: flags.askTimeout }),
    ...(flags.keep !== undefined && { keepDays: flags.keep }),
    ...(interactiveTools && { interactiveTools }),
    ...(flags.policy !== undefined && { policyFile: resolve(flags.policy) }),
    limits: { connectionsPerBrowser: 32, connectionsPerToken: flags.maxConnections },
    log,
    webFolder: fileURLToPath(new URL('./web', import.meta.url)),
    hostMain: fileURLToPath(new URL('./host.js', import.meta.url)),
    ...(process.env.HOLDPOINT_CLAUDE && { claude: process.env.HOLDPOINT_CLAUDE }),
    environment: process.env,
  })

  const over = new Promise<number>((settle) => {
    let stopping = false
    const stop = (exitCode: number, say: () => void) => {
      // One Ctrl-C may arrive twice, from the terminal and through npm: the second must not cut the first short.
      if (stopping) return
      stopping = true
      say()
      setTimeout(() => process.exit(exitCode), CLOSE_LIMIT_MS).unref()
      void gateway.close().then(
        () => settle(exitCode),
        (error: unknown) => {
          log.error('gateway_stop_failed', { error: String(error) })
          settle(exitCode)
        },
      )
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => stop(0, () => log.info('gateway_stopping', { signal })))
    }
    const { over: isOver } = gateway
    const leave = () => {
      const { code, message: why } = isOver.reason
      if (code === 'replaced') stop(EXIT.failure, () => log.error('record_replaced', { why }))
      else stop(EXIT.locked, () => log.error('gateway_displaced', { why }))
    }
    isOver.addEventListener('abort', leave)
    if (isOver.aborted) leave()
  })
  if (flags.demo) await gateway.startDemo()
  process.stdout.write(`Holdpoint is ready: ${gateway.loginLink()}\n`)
  if (process.stdout.isTTY) process.stderr.write(NEXT_STEPS)
  if (process.stdin.isTTY && process.stdout.isTTY) offerLinks(gateway)
  process.exit(await over)
}

/** The person at the gateway's own terminal is its owner. Agents run as the same user, but cannot type there. */
function offerLinks(gateway: { loginLink(): string }) {
  process.stdin.setEncoding('utf8').on('data', (typed: string) => {
    if (/[\r\n]/.test(typed)) process.stdout.write(`New link: ${gateway.loginLink()}\n`)
  })
  // Reading stdin must not keep a stopping gateway alive.
  process.stdin.unref()
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

function sharedDatabase(flags: Flags) {
  const address = databaseAddress(flags)
  if (address) return { address, machineName: checkedName(flags.machineName ?? hostname()) }
  for (const [name, value] of [
    ['--machine-name', flags.machineName],
    ['--advertise', flags.advertise],
  ]) {
    if (value !== undefined) throw new CliError(`${name} is for machines that share a --database.`, EXIT.usage)
  }
  return undefined
}

function checkedName(name: string): string {
  const trimmed = name.trim().slice(0, MACHINE_NAME_LENGTH)
  if (trimmed !== '') return trimmed
  throw new CliError('--machine-name must not be empty.', EXIT.usage)
}

/** Browsers send their credential there. */
function checkedAdvertise({ advertise }: Flags): string | undefined {
  if (advertise === undefined) return undefined
  const url = URL.canParse(advertise) ? new URL(advertise) : undefined
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.origin
  throw new CliError('--advertise must be an https:// address, or http:// on this machine alone.', EXIT.usage)
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
    throw new InvalidArgumentError(`there is no dialect "${unknown}"; choose from ${DIALECTS.join(', ')}, or give none`)
  }
  return names.filter(isDialect)
}

function portNumber(value: string): number {
  const port = wholeNumber(value)
  if (port > MAX_PORT) throw new InvalidArgumentError(`the highest port is ${MAX_PORT}`)
  return port
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('expected a whole number')
  return Number(value)
}
