import type { ServerResponse } from 'node:http'
import { drained, HIGH_WATER } from '../stream/drained.ts'

/** Where a streamed reply goes: a client on the network, or a program in this process. */
export interface TextSink {
  write(text: string): void
  /** False while the reader has not read what it was sent. */
  readonly writable: boolean
  /** Resolves when the reader has read enough to be written to, or is gone. */
  ready(): Promise<void>
  /** Called whenever the reader has read on. */
  onDrain(listener: () => void): void
  /** That was all. */
  end(): void
  /** The reader is let go in the middle. */
  destroy(): void
}

export function responseSink(response: ServerResponse): TextSink {
  const { socket } = response
  return {
    write: (text) => void response.write(text),
    get writable() {
      return (socket?.writableLength ?? 0) < HIGH_WATER
    },
    ready: async () => {
      if (socket) await drained(socket, HIGH_WATER)
    },
    onDrain(listener) {
      socket?.on('drain', listener)
      // The socket may carry other replies after this one.
      response.on('close', () => socket?.off('drain', listener))
    },
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  }
}
