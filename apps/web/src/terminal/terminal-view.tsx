import type { WebSocketLike } from '@holdpoint/client/ticketed-socket'
import { systemTimers } from '@holdpoint/client/timers'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ConversationCalls } from './conversation-calls.ts'
import { FindConversation } from './find-conversation.tsx'
import { KeyRow } from './key-row.tsx'
import { createScreen, type Screen } from './screen.ts'
import { TerminalBar } from './terminal-bar.tsx'
import { createTerminalLink, type TerminalLink, type TerminalLinkState } from './terminal-link.ts'
import { TerminalScreen, type TerminalScreenHandle } from './terminal-screen.tsx'
import { type Room, sizeFor } from './terminal-size.ts'
import { TypingField } from './typing-field.tsx'
import { useRoom } from './use-room.ts'

const PROBE = '0'.repeat(64)
/** A window that is being dragged, or a keyboard that slides in, changes its size many times. */
const RESIZE_MS = 200
/** The longest that something new waits for a frame. */
const FRAME_MS = 250
const CONNECTING: TerminalLinkState = {
  state: 'connecting',
  writer: 'nobody',
  conversation: 'none',
  hasPicture: false,
}

export interface TerminalViewProps {
  /** Connects to the terminal. The same function from one rendering to the next. */
  readonly open: () => WebSocketLike
  readonly mayType: boolean
  /** How the conversation in it is found, where that can be done. */
  readonly conversation?: ConversationCalls
  /** Whether the gateway can be reached; when it can be reached again, the terminal reconnects. */
  readonly isReachable: boolean
}

/** A program's terminal. Many can watch it; a person who pressed "Type here" can type into it. */
export function TerminalView({ open, mayType, conversation, isReachable }: TerminalViewProps) {
  const pane = useRef<HTMLPreElement>(null)
  const probe = useRef<HTMLSpanElement>(null)
  const view = useRef<TerminalScreenHandle>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const room = useRoom(pane, probe, PROBE.length)
  const terminal = useTerminal(open, room)
  const link = useStore(terminal?.link) ?? CONNECTING
  const state = useStore(terminal?.screen)
  const [wantsToType, setWantsToType] = useState(false)
  const isTyping = wantsToType && mayType && link.state !== 'ended'
  const shown: TerminalLinkState = isReachable || link.state === 'ended' ? link : { ...link, state: 'lost' }
  useReachable(terminal?.link, isReachable)
  useFit(terminal?.link, room, link.state === 'live')

  // A hardware keyboard is wanted at once; a phone's would cover half of what there is to see.
  useEffect(() => {
    if (isTyping && matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true })
  }, [isTyping])

  function type(bytes: string) {
    if (isTyping && shown.state === 'live') terminal?.link.type(bytes)
  }
  return (
    <section aria-label="Terminal" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <TerminalBar link={shown} isTyping={isTyping} buttonRef={button} {...(mayType && { onTyping: setWantsToType })} />
      {mayType && conversation && <FindConversation state={shown.conversation} calls={conversation} />}
      <TerminalScreen
        ref={view}
        pane={pane}
        room={room}
        screen={terminal?.screen}
        state={state}
        isTyping={isTyping}
        onPress={() => isTyping && field.current?.focus({ preventScroll: true })}
        probe={
          <span ref={probe} aria-hidden className="invisible absolute">
            {PROBE}
          </span>
        }
        field={
          isTyping &&
          state && (
            <TypingField
              ref={field}
              modes={state.modes}
              onBytes={type}
              onScroll={(pages) => view.current?.scrollPages(pages)}
              onLeave={() => {
                button.current?.focus()
                setWantsToType(false)
              }}
            />
          )
        }
      />
      {isTyping && state && (
        <KeyRow
          modes={state.modes}
          onBytes={type}
          onKeyboard={() => {
            const isUp = document.activeElement === field.current
            if (isUp) field.current?.blur()
            else field.current?.focus({ preventScroll: true })
          }}
        />
      )}
    </section>
  )
}

interface LiveTerminal {
  readonly screen: Screen
  readonly link: TerminalLink
}

/** Connected as soon as it is known how much can be shown, and for as long as it is shown. */
function useTerminal(open: () => WebSocketLike, room: Room | undefined): LiveTerminal | undefined {
  const [terminal, setTerminal] = useState<LiveTerminal>()
  const latest = useRef(room)
  latest.current = room
  const isMeasured = room !== undefined
  useEffect(() => {
    if (!isMeasured) return
    const screen = createScreen(withNextFrame)
    const link = createTerminalLink({
      open,
      size: () => (latest.current ? sizeFor(latest.current) : { cols: 80, rows: 24 }),
      onPicture: ({ data, cols, rows }) => screen.restore({ data, columns: cols, rows }),
      onOutput: (data) => screen.write(data),
      timers: systemTimers,
      random: Math.random,
    })
    setTerminal({ screen, link })
    return () => {
      link.close()
      screen.close()
    }
  }, [open, isMeasured])
  return terminal
}

/** A page that is not painted gets no frames, and must not fall behind for ever. */
function withNextFrame(draw: () => void): void {
  const drawOnce = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    draw()
  }
  const frame = requestAnimationFrame(drawOnce)
  const timer = setTimeout(drawOnce, FRAME_MS)
}

/** Sends the size whenever it changes (debounced). The first size goes with the view frame itself. */
function useFit(link: TerminalLink | undefined, room: Room | undefined, isLive: boolean): void {
  const { cols, rows } = room ? sizeFor(room) : { cols: 0, rows: 0 }
  const sent = useRef('')
  useEffect(() => {
    const size = `${cols} ${rows}`
    if (!isLive) sent.current = size
    if (!link || sent.current === size) return
    const timer = setTimeout(() => {
      sent.current = size
      link.resize({ cols, rows })
    }, RESIZE_MS)
    return () => clearTimeout(timer)
  }, [link, isLive, cols, rows])
}

function useReachable(link: TerminalLink | undefined, isReachable: boolean): void {
  const before = useRef(isReachable)
  useEffect(() => {
    if (isReachable && !before.current) link?.restart()
    before.current = isReachable
  }, [link, isReachable])
}

interface Store<State> {
  subscribe(listener: () => void): () => void
  getState(): State
}

function useStore<State>(store: Store<State> | undefined): State | undefined {
  return useSyncExternalStore(store?.subscribe ?? noSubscription, () => store?.getState())
}

function noSubscription() {
  return () => {}
}
