import { type ReactNode, type Ref, type RefObject, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { cssColour, GROUND, INK } from './colours.ts'
import type { Screen, ScreenState } from './screen.ts'
import { TerminalRow } from './terminal-row.tsx'
import { fontFor, lineHeight, type Room } from './terminal-size.ts'
import { PADDING } from './use-room.ts'

/** Overscan: lines above and below the visible ones that are also drawn. */
const SPARE = 4
/** How near to the end still counts as being there. */
const SLACK = 4

export interface TerminalScreenHandle {
  scrollPages(pages: number): void
}

export interface TerminalScreenProps {
  readonly ref: Ref<TerminalScreenHandle>
  readonly pane: RefObject<HTMLPreElement | null>
  readonly room: Room | undefined
  readonly screen: Screen | undefined
  readonly state: ScreenState | undefined
  readonly isTyping: boolean
  /** Stands at the cursor. */
  readonly field: ReactNode
  /** Measures the font. */
  readonly probe: ReactNode
  onPress(): void
}

/** The picture, and what has scrolled out of it. All of it is text in one box: nothing in it can be pressed (T28). */
export function TerminalScreen({
  ref,
  pane,
  room,
  screen,
  state,
  isTyping,
  field,
  probe,
  onPress,
}: TerminalScreenProps) {
  const [offset, setOffset] = useState(0)
  const sticks = useRef(true)
  const font = room && state ? fontFor(room, state.columns) : 13
  const height = lineHeight(font)
  useImperativeHandle(ref, () => ({
    scrollPages(pages) {
      if (pane.current) pane.current.scrollTop += pages * pane.current.clientHeight
    },
  }))
  // Whatever changes where the end is: what is written, and how much of it is in sight.
  useLayoutEffect(() => {
    const element = pane.current
    if (element && state && room && sticks.current) element.scrollTop = element.scrollHeight
  }, [state, room, pane])

  const first = Math.max(0, Math.floor(offset / height) - SPARE)
  const last = Math.min(state?.lines ?? 0, Math.ceil((offset + (room?.height ?? 0)) / height) + SPARE)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press only brings the focus back to the field, which has a name.
    <pre
      ref={pane}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must be able to scroll it.
      tabIndex={0}
      role="group"
      aria-label="Screen of the program"
      onScroll={({ currentTarget: element }) => {
        sticks.current = element.scrollTop + element.clientHeight >= element.scrollHeight - SLACK
        setOffset(element.scrollTop)
      }}
      onClick={() => {
        if (getSelection()?.isCollapsed !== false) onPress()
      }}
      className="relative isolate min-h-0 flex-1 overflow-auto overscroll-contain font-mono [contain:strict] focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent has-[textarea:focus]:outline-2 has-[textarea:focus]:-outline-offset-2 has-[textarea:focus]:outline-accent"
      style={{
        color: cssColour(INK),
        backgroundColor: cssColour(GROUND),
        fontSize: font,
        fontVariantLigatures: 'none',
        padding: PADDING,
      }}
    >
      {probe}
      {state && screen && (
        <div className="relative overflow-hidden" style={{ width: `${state.columns}ch`, height: state.lines * height }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index).map((index) => (
            <TerminalRow key={index} line={screen.line(index)} top={index * height} height={height} />
          ))}
          <div
            className="absolute"
            style={{ left: `${state.cursor.column}ch`, top: state.cursor.line * height, height, width: '1ch' }}
          >
            {state.cursor.isShown && (
              <span
                aria-hidden
                className={`pointer-events-none absolute inset-0 border border-current ${isTyping ? 'bg-current opacity-50' : 'opacity-60'}`}
              />
            )}
            {field}
          </div>
        </div>
      )}
    </pre>
  )
}
