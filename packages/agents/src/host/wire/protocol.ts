import type { HostMessage } from './host-message.ts'

/**
 * What crosses the host's socket, as JSON lines. Gateway and host may come from different releases: unknown fields are
 * ignored, unknown types are answered with `error {code: 'unknown'}`, and hello agrees on a version.
 *
 * The host reads by hand and imports no package, so that it stays one small file; the gateway reads with the schemas
 * of `host-message.ts`.
 *
 * Version 2: the host carries hooks that wait over a gateway's death, and the folders of calls. With a host of version 1
 * a gate that waits would fail on each restart, so the two refuse each other.
 */
export const PROTOCOL_VERSIONS: readonly number[] = [2]

/** The longest line either side may pass on, in bytes. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024
/** A socket's address has 104 bytes on some systems; the longest path that works everywhere, with room to spare. */
const MAX_SOCKET_PATH_BYTES = 100

export type GatewayMessage =
  | { t: 'hello'; versions: readonly number[] }
  | { t: 'spawn'; id: number; key: string; command: string; args: readonly string[]; cwd: string; env: Environment }
  | { t: 'attach'; id: number; key: string; after: number }
  | { t: 'ack'; key: string; line: number }
  | { t: 'write'; id: number; key: string; line: string }
  | { t: 'kill'; id: number; key: string; signal?: 'SIGTERM' | 'SIGKILL' }
  | { t: 'forget'; key: string }
  | { t: 'memory'; id: number; key: string }
  | { t: 'shutdown' }

export type Environment = Readonly<Record<string, string>>

/** A message of the gateway, or the error to answer with. */
export function readGatewayMessage(line: string): GatewayMessage | Extract<HostMessage, { t: 'error' }> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { t: 'error', code: 'bad-message', message: 'not JSON' }
  }
  if (!isRecord(value)) return { t: 'error', code: 'bad-message', message: 'not an object' }
  const re = isCount(value.id) ? { re: value.id } : {}
  const check = typeof value.t === 'string' ? CHECKS.get(value.t) : undefined
  if (!check) return { t: 'error', code: 'unknown', message: `unknown message ${JSON.stringify(value.t)}`, ...re }
  if (!check(value)) return { t: 'error', code: 'bad-message', message: `malformed ${value.t}`, ...re }
  return value as unknown as GatewayMessage
}

/** Where the host of a data directory listens; undefined when the path is too long for a socket. */
export function socketPath(dataDir: string): string | undefined {
  const path = `${dataDir}/host.sock`
  return Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES ? undefined : path
}

type Fields = Record<string, unknown>

const CHECKS: ReadonlyMap<string, (message: Fields) => boolean> = new Map(
  Object.entries({
    hello: (m) => Array.isArray(m.versions) && m.versions.every(isCount),
    spawn: (m) =>
      isRequest(m) &&
      typeof m.command === 'string' &&
      Array.isArray(m.args) &&
      m.args.every(isText) &&
      typeof m.cwd === 'string' &&
      isRecord(m.env) &&
      Object.values(m.env).every(isText),
    attach: (m) => isRequest(m) && isCount(m.after),
    ack: (m) => isText(m.key) && isCount(m.line),
    write: (m) => isRequest(m) && isText(m.line) && !m.line.includes('\n'),
    kill: (m) => isRequest(m) && (m.signal === undefined || m.signal === 'SIGTERM' || m.signal === 'SIGKILL'),
    forget: (m) => isText(m.key),
    memory: isRequest,
    shutdown: () => true,
  } satisfies Record<GatewayMessage['t'], (message: Fields) => boolean>),
)

function isRequest(message: Fields): boolean {
  return isCount(message.id) && isText(message.key)
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
