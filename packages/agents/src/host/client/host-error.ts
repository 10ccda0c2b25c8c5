export type HostErrorCode =
  /** There is no host, and none could be started. */
  | 'no-host'
  | 'path-too-long'
  /** The running host speaks none of our versions. */
  | 'version'
  /** The connection was lost or closed. */
  | 'host-gone'
  /** A newer gateway has taken over. */
  | 'replaced'
  | 'line-too-long'
  | 'no-agent'
  | 'agent-gone'
  | 'agent-busy'
  | 'key-taken'
  | 'cannot-start'
  /** The host answered with an error that is none of the above. */
  | 'refused'

/** The host cannot be reached, or cannot do what was asked of it. */
export class HostError extends Error {
  readonly code: HostErrorCode
  constructor(code: HostErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'HostError'
    this.code = code
  }
}

const TOLD: ReadonlySet<string> = new Set<HostErrorCode>([
  'no-agent',
  'agent-gone',
  'agent-busy',
  'key-taken',
  'cannot-start',
])

/** An error that the host has sent. */
export function hostErrorFrom(told: { code: string; message: string }): HostError {
  return TOLD.has(told.code)
    ? new HostError(told.code as HostErrorCode, told.message)
    : new HostError('refused', `${told.code}: ${told.message}`)
}
