import { isNotConnected } from '@holdpoint/client/connection-code'
import { StoreFault } from '@holdpoint/core/store'
import { ApiError, UnreachableError } from './api.ts'
import { CliError, EXIT } from './console/cli-error.ts'

/** The gateway is going, or the proxy in front of it cannot reach it. */
const PASSING_STATUS: ReadonlySet<number> = new Set([502, 503, 504])
/** Whether trying again can help: the gateway is gone or going, or the connection broke off in the middle. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return PASSING_STATUS.has(error.status) && error.code !== 'machine_unreachable'
  if (error instanceof CliError) return error.exitCode === EXIT.notRunning
  // Of its data folder: it may be too busy to answer.
  if (error instanceof StoreFault) return error.code === 'busy'
  return error instanceof UnreachableError
}

/** Whether there was no gateway at all: then it has recorded nothing of the call. */
export function isNobodyThere(error: unknown): boolean {
  if (error instanceof CliError) return error.exitCode === EXIT.notRunning
  return error instanceof UnreachableError && isNotConnected(error.code)
}
