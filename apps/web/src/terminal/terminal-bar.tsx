import { Button } from '@holdpoint/react/ui/button'
import { Kbd } from '@holdpoint/react/ui/kbd'
import { Keyboard, SquareTerminal } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import type { TerminalLinkState } from './terminal-link.ts'

export interface TerminalBarProps {
  readonly link: TerminalLinkState
  readonly isTyping: boolean
  /** Left out where this browser may only look. */
  readonly onTyping?: (isTyping: boolean) => void
  readonly buttonRef: Ref<HTMLButtonElement>
}

/** What the pane below is, whose keys it takes, and the one way to give it one's own. */
export function TerminalBar({ link, isTyping, onTyping, buttonRef }: TerminalBarProps) {
  const isOther = link.state === 'live' && link.writer === 'other'
  return (
    <div className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line bg-panel py-1 pr-1.5 pl-3 text-[13px] desk:pl-4">
      <SquareTerminal aria-hidden className="size-4 shrink-0 text-quiet" />
      <p
        role="status"
        className={`min-w-0 flex-1 leading-tight ${isOther || link.state === 'lost' ? 'text-wait' : 'text-quiet'}`}
      >
        {wordsOf(link, isTyping)}
      </p>
      {onTyping && link.state !== 'ended' && (
        <Button
          ref={buttonRef}
          icon={Keyboard}
          off={!isTyping && link.state !== 'live'}
          onClick={() => onTyping(!isTyping)}
        >
          {isTyping ? 'Stop typing' : 'Type here'}
        </Button>
      )}
    </div>
  )
}

function wordsOf({ state, writer, exitCode, hasPicture }: TerminalLinkState, isTyping: boolean): ReactNode {
  switch (state) {
    case 'connecting':
      return 'Connecting to the terminal…'
    case 'lost':
      return 'Not connected: what you see may be old. Reconnecting…'
    case 'ended':
      return `The program has ended${exitCode === undefined ? '' : `, with exit code ${exitCode}`}. ${
        hasPicture ? 'This is the last screen.' : 'No screen was kept.'
      }`
  }
  if (writer === 'other') {
    return isTyping ? 'Someone else is typing. Your keys are ignored until they pause.' : 'Someone else is typing.'
  }
  if (!isTyping) return 'Read-only: you see what the program shows.'
  return (
    <>
      Your keys go to the program.
      <span className="hidden pointer-fine:inline">
        {' '}
        <Kbd>Shift</Kbd> <Kbd>Esc</Kbd> stops that.
      </span>
    </>
  )
}
