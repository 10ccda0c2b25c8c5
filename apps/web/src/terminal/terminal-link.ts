import { backOffMs } from '@holdpoint/client/back-off'
import type { WebSocketLike } from '@holdpoint/client/ticketed-socket'
import type { Timers } from '@holdpoint/client/timers'
import type { ConversationState, PtyCommand } from '@holdpoint/schema/terminal-stream'
import { readTerminalFrame, type TerminalFrame } from './terminal-frame.ts'

/** Keys come in few characters, a paste in as many as somebody has copied. No character is cut in two. */
const PIECES = /.{1,16384}/gsu

export interface Size {
  readonly cols: number
  readonly rows: number
}

export interface TerminalLinkState {
  /** `live` from the first picture on: what is shown is what is. */
  readonly state: 'connecting' | 'live' | 'lost' | 'ended'
  /** Whose keys the program gets, as far as the gateway has said. */
  readonly writer: 'nobody' | 'you' | 'other'
  readonly conversation: ConversationState
  /** Whether there has been a picture: of a program that has ended there may be none. */
  readonly hasPicture: boolean
  readonly exitCode?: number
}

export interface TerminalLink {
  subscribe(listener: () => void): () => void
  getState(): TerminalLinkState
  /** Dropped unless live: what was typed for one picture must not reach a program that shows another. */
  type(data: string): void
  /** How much this page can show now. Whose size counts is for the gateway to say. */
  resize(size: Size): void
  /** Reconnects now. */
  restart(): void
  close(): void
}

export interface TerminalLinkOptions {
  readonly open: () => WebSocketLike
  /** How much this page can show. */
  readonly size: () => Size
  readonly onPicture: (frame: Extract<TerminalFrame, { type: 'screen' }>) => void
  /** Says no when it cannot keep up. */
  readonly onOutput: (data: string) => boolean
  readonly timers: Timers
  readonly random: () => number
}

/** A view of one terminal that reconnects by itself, with a new snapshot of the screen. */
export function createTerminalLink(options: TerminalLinkOptions): TerminalLink {
  const { timers, random } = options
  const listeners = new Set<() => void>()
  let state: TerminalLinkState = { state: 'connecting', writer: 'nobody', conversation: 'none', hasPicture: false }
  let socket: WebSocketLike | undefined
  let failures = 0
  let cancelRetry = () => {}

  function change(changes: Partial<TerminalLinkState>) {
    state = { ...state, ...changes }
    for (const listener of listeners) listener()
  }
  function send(command: PtyCommand) {
    socket?.send(JSON.stringify(command))
  }
  function drop() {
    cancelRetry()
    const current = socket
    socket = undefined
    current?.close()
  }

  function connect() {
    drop()
    const current = options.open()
    socket = current
    let isOpen = false
    current.onopen = () => {
      if (current !== socket) return
      isOpen = true
      send({ type: 'view', ...options.size() })
    }
    current.onmessage = ({ data }: { data: unknown }) => {
      if (current === socket && isOpen) take(readTerminalFrame(data))
    }
    current.onerror = () => {}
    current.onclose = () => {
      if (current !== socket) return
      socket = undefined
      change({ state: 'lost', writer: 'nobody', conversation: 'none' })
      cancelRetry = timers.after(backOffMs(failures++, random), connect)
    }
  }

  function take(frame: TerminalFrame | undefined) {
    switch (frame?.type) {
      case 'screen':
        failures = 0
        options.onPicture(frame)
        if (state.state !== 'live') change({ state: 'live', hasPicture: true })
        return
      case 'output':
        if (!options.onOutput(frame.data)) connect()
        return
      case 'writer':
        change({ writer: frame.busy ? 'other' : frame.you ? 'you' : 'nobody' })
        return
      case 'conversation':
        change({ conversation: frame.state })
        return
      case 'exit':
        drop()
        change({
          state: 'ended',
          writer: 'nobody',
          conversation: 'none',
          ...(frame.code !== undefined && { exitCode: frame.code }),
        })
    }
  }

  connect()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getState: () => state,
    type(data) {
      if (state.state !== 'live') return
      for (const piece of data.match(PIECES) ?? []) send({ type: 'input', data: piece })
    },
    resize(size) {
      if (state.state === 'live') send({ type: 'resize', ...size })
    },
    restart() {
      if (state.state === 'ended') return
      failures = 0
      connect()
    },
    close() {
      listeners.clear()
      drop()
    },
  }
}
