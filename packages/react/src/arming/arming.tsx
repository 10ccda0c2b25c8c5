import {
  createContext,
  type Dispatch,
  type HTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type SetStateAction,
  useContext,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { ARMING_MS, type Down, decides, isArmed } from './arming-state.ts'
import { type Watch, watchDisturbances } from './arming-watch.ts'

export interface Arming {
  /** What a press here would decide: ask and digest. */
  readonly key: string
  /** For looks. A press is judged by its own time, not by this. */
  readonly armed: boolean
  /** How often the wait began. */
  readonly round: number
  /** A press has just come to nothing, because it came too early. */
  readonly wasEarly: boolean
  /** Goes on the element that holds the buttons. Without one on the page, nothing is armed. */
  readonly area: (element: HTMLElement | null) => (() => void) | undefined
  /** Since when nothing has happened that makes this kind of press doubtful; checks once more before it returns. */
  disturbedAt(sort: PressSort): number
  /** Restarts the wait. */
  disturb(): void
  /** Says for a while that a press did not count, or takes that back. */
  sayEarly(wasEarly: boolean): void
}

/**
 * A pointer hits whatever is under it; a key goes to what has the focus, wherever that has moved. While the buttons are out
 * of sight, a key decides nothing: it scrolls them into sight and restarts the wait.
 */
export type PressSort = 'pointer' | 'key'

const NEVER = Number.POSITIVE_INFINITY
const SAID_MS = 4000

interface Look {
  readonly armed: boolean
  readonly round: number
  readonly wasEarly: boolean
}

/** Arms buttons a while after they appear, move or change what they decide, and after the window comes to the front. */
export function useArming(key: string): Arming {
  const [look, setLook] = useState<Look>({ armed: false, round: 0, wasEarly: false })
  const controls = useMemo(() => createArming(key, setLook), [key])
  return useMemo(() => ({ ...controls, ...look }), [controls, look])
}

function createArming(key: string, setLook: Dispatch<SetStateAction<Look>>) {
  let disturbed = NEVER
  let moved = NEVER
  let timer: ReturnType<typeof setTimeout> | undefined
  let said: ReturnType<typeof setTimeout> | undefined
  let watch: Watch | undefined

  function startWait() {
    setLook((look) => ({ ...look, armed: false, round: look.round + 1 }))
    clearTimeout(timer)
    timer = setTimeout(() => setLook((look) => ({ ...look, armed: true })), ARMING_MS)
  }
  function sayEarly(wasEarly: boolean) {
    clearTimeout(said)
    if (wasEarly) said = setTimeout(() => sayEarly(false), SAID_MS)
    setLook((look) => (look.wasEarly === wasEarly ? look : { ...look, wasEarly }))
  }
  function disturb() {
    if (!watch) return
    disturbed = performance.now()
    moved = disturbed
    startWait()
  }
  function onMoved() {
    moved = performance.now()
    startWait()
  }
  function area(element: HTMLElement | null) {
    if (!element) return
    watch = watchDisturbances(element, { onMoved, onReturned: disturb })
    // The wait begins with the first frame that can be seen; in a hidden tab there is none.
    const frame = requestAnimationFrame(disturb)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      clearTimeout(said)
      watch?.stop()
      watch = undefined
      disturbed = NEVER
      moved = NEVER
      setLook(({ round }) => ({ armed: false, round, wasEarly: false }))
    }
  }
  function disturbedAt(sort: PressSort) {
    watch?.look()
    if (!document.hasFocus()) return NEVER
    if (sort === 'pointer') return moved
    if (!watch || watch.isInSight()) return disturbed
    // The focus stays on a card that was scrolled away, while the person looks at another one.
    watch.show()
    disturb()
    return NEVER
  }
  return { key, area, disturb, disturbedAt, sayEarly }
}

/** Whether a key on the keyboard may decide now: pressed once by a person, not held, not in the wait, which it says. */
export function keyDecides(arming: Arming, event: KeyboardEvent): boolean {
  if (event.repeat || !event.nativeEvent.isTrusted) return false
  const counts = isArmed(arming.disturbedAt('key'), event.timeStamp)
  arming.sayEarly(!counts)
  return counts
}

const ArmingContext = createContext<Arming | undefined>(undefined)

/** The place of buttons that decide. Says itself whether they are armed, in its look and in `data-armed`. */
export function ArmedArea({
  arming,
  className = '',
  children,
  ...rest
}: { arming: Arming } & HTMLAttributes<HTMLDivElement>) {
  return (
    <ArmingContext value={arming}>
      <div {...rest} ref={arming.area} data-armed={arming.armed} className={`relative ${className}`}>
        {children}
        <EarlyNote isSaid={arming.wasEarly} />
      </div>
    </ArmingContext>
  )
}

/** Floats above the buttons: a line that pushed them away would restart their wait. Nothing under it is out of reach. */
function EarlyNote({ isSaid }: { isSaid: boolean }) {
  return (
    <p
      role="status"
      className={
        isSaid
          ? 'pointer-events-none absolute right-3 bottom-full z-2 mb-1.5 ml-3 rounded-lg bg-ink px-3 py-1.5 text-[13px] text-bg shadow-lift'
          : 'sr-only'
      }
    >
      {isSaid && 'That press did not count: this had just appeared or moved. Press again.'}
    </p>
  )
}

/** A button that decides. It must be pressed and let go on the same ask, both after arming; a held key does nothing. */
export function ArmedButton({ onPress, className = '', ...rest }: ButtonProps & { onPress(): void }) {
  const arming = useContext(ArmingContext)
  const down = useRef<Down>(undefined)
  if (!arming) throw new Error('an ArmedButton needs an ArmedArea around it')
  const { key, disturbedAt, sayEarly } = arming

  function onPointerDown(event: PointerEvent) {
    const usable = event.isPrimary && event.button === 0 && isArmed(disturbedAt('pointer'), event.timeStamp)
    down.current = usable ? { key, at: event.timeStamp } : undefined
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault()
  }
  function onClick(event: MouseEvent) {
    const byPointer = event.detail > 0
    const press = {
      key,
      at: event.timeStamp,
      disturbedAt: disturbedAt(byPointer ? 'pointer' : 'key'),
      byPointer,
      trusted: event.nativeEvent.isTrusted,
    }
    const counts = decides(press, down.current)
    down.current = undefined
    if (press.trusted) sayEarly(!counts)
    if (counts) onPress()
  }
  return (
    <Button
      {...rest}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onClick={onClick}
      className={`relative overflow-hidden ${className}`}
    >
      {rest.children}
      {!arming.armed && (
        <span
          key={arming.round}
          aria-hidden
          className="absolute inset-x-0 bottom-0 h-0.75 origin-left bg-current opacity-70 transition-transform motion-reduce:transition-none duration-500 ease-linear starting:scale-x-0"
        />
      )}
    </Button>
  )
}
