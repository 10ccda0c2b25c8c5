import { StoreFault } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { ApiError, UnreachableError } from './api.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import { outcomeWords } from './outcome-words.ts'

export interface Failure {
  /** What went wrong and what to do about it. */
  readonly words: string
  readonly exitCode: number
}

/** Words for everything that can go wrong in a command. */
export function failureWords(error: unknown): Failure {
  if (error instanceof CliError) return { words: error.message, exitCode: error.exitCode }
  if (error instanceof ApiError) return apiWords(error)
  if (error instanceof UnreachableError) return unreachableWords(error)
  if (error instanceof StoreFault) {
    return { words: terminalText(error.message), exitCode: error.code === 'locked' ? EXIT.locked : EXIT.failure }
  }
  return systemWords(error as NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string })
}

const UNTRUSTED_CERTIFICATE = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_/

function unreachableWords({ code, url }: UnreachableError): Failure {
  if (code !== undefined && UNTRUSTED_CERTIFICATE.test(code)) {
    const words = `This machine does not trust the certificate of ${url} (${code}). Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.`
    return { words, exitCode: EXIT.failure }
  }
  const why = code === undefined ? '' : ` (${code})`
  return { words: `No gateway answers at ${url}${why}: start it with "holdpoint start".`, exitCode: EXIT.notRunning }
}

function apiWords({ status, code, message, outcome, issues }: ApiError): Failure {
  if (code === 'unauthorized') {
    const words = process.env.HOLDPOINT_TOKEN
      ? 'The gateway does not know this HOLDPOINT_TOKEN. Set it to the one that the gateway was started with, or unset it to type in a one-time code.'
      : 'The credential is not valid any more. Run the command again with a new one-time code, or set HOLDPOINT_TOKEN.'
    return { words, exitCode: EXIT.failure }
  }
  if (code === 'already_settled' && outcome) return { words: settledWords(outcome), exitCode: EXIT.refused }
  const list = issues.map((issue) => `\n  - ${terminalText(issue)}`).join('')
  const refused = status === 409 || status === 422
  return { words: terminalText(message) + list, exitCode: refused ? EXIT.refused : EXIT.failure }
}

/** For the one who answered too late: who was first, when, from where, with what (I1). */
export function settledWords(outcome: Outcome, ask?: Ask): string {
  const how = outcomeWords(outcome, { now: Date.now(), ask })
  return `Too late: your answer was not passed to the agent. The ask was ${how}.`
}

function systemWords(error: NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string }): Failure {
  const words = {
    EADDRINUSE: `Port ${error.port} is taken by another program. Choose another one with --port, or --port 0 for a free one.`,
    EADDRNOTAVAIL: `This machine has no address ${error.address}. Give one of its addresses with --host.`,
    ENOTFOUND: `The host name ${error.hostname} cannot be resolved. Give an address of this machine with --host.`,
    EACCES: `${error.path ?? `Port ${error.port}`} cannot be used (no permission). Choose another one.`,
    EROFS: `${error.path} cannot be written to (read-only). Choose another folder with --data.`,
  }[error.code ?? '']
  return { words: words ?? `Something went wrong: ${error.message ?? String(error)}`, exitCode: EXIT.failure }
}
