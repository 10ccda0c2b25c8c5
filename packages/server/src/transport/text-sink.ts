import type { ServerResponse } from 'node:http'
import { drained, HIGH_WATER } from './drained.ts'
import { type ConnectionUnread, SMALL_REPLY } from './unread.ts'

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

export function responseSink(response: ServerResponse, unread: ConnectionUnread): TextSink {
  const { socket } = response
  const onDrain = () => void unread.note(0)
  socket?.on('drain', onDrain)
  response.on('close', () => {
    socket?.off('drain', onDrain)
    unread.note(0)
  })

  function noteUnread() {
    const left = response.destroyed ? 0 : (socket?.writableLength ?? 0)
    if (left > SMALL_REPLY && !unread.note(left)) response.destroy()
  }

  return {
    write(text) {
      response.write(text)
      // Node hands it over at the end of this turn; only then it shows how much of it the client has left.
      if (text.length > SMALL_REPLY) process.nextTick(noteUnread)
    },
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
