import { connect } from 'node:net'

export interface HolderInfo {
  readonly url?: string
  readonly version?: string
}

export interface Holder extends HolderInfo {
  readonly pid: number
}

export type HolderAnswer =
  | { state: 'answered'; holder: Holder }
  /** Somebody listens, but said nothing that we understand in time. */
  | { state: 'silent' }
  /** There is a socket, and nobody listens on it any more. */
  | { state: 'dead' }
  | { state: 'absent' }

const ANSWER_MS = 2000
const MAX_ANSWER = 4096

/** Asks the process that listens on a data folder's socket who it is. */
export function callHolder(path: string): Promise<HolderAnswer> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let text = ''
    const settle = (answer: HolderAnswer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setEncoding('utf8')
    socket.setTimeout(ANSWER_MS, () => settle({ state: 'silent' }))
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MAX_ANSWER) settle({ state: 'silent' })
    })
    socket.on('end', () => settle(parseHolder(text)))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') settle({ state: 'absent' })
      // Anything but a plain refusal may be a living holder under load: taking its place would be worse than waiting.
      else settle({ state: error.code === 'ECONNREFUSED' ? 'dead' : 'silent' })
    })
  })
}

function parseHolder(text: string): HolderAnswer {
  try {
    const { pid, url, version } = JSON.parse(text) as Record<string, unknown>
    if (typeof pid !== 'number') return { state: 'silent' }
    const holder = {
      pid,
      ...(typeof url === 'string' && { url }),
      ...(typeof version === 'string' && { version }),
    }
    return { state: 'answered', holder }
  } catch {
    return { state: 'silent' }
  }
}
