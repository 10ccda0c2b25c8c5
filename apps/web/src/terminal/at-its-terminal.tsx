import { SquareTerminal } from 'lucide-react'

/** The mark of a session whose agent runs in somebody's own terminal, and can be answered there as well. */
export function AtItsTerminal() {
  return (
    <>
      <SquareTerminal aria-hidden className="mr-1 inline size-3.5 align-[-2.5px]" />
      at its terminal
    </>
  )
}

/** Where there is little room: the sign, and the words for who cannot see it. */
export function TerminalSign() {
  return (
    <span title="At its terminal" className="shrink-0">
      <SquareTerminal aria-hidden className="inline size-3.5 align-[-2.5px]" />
      <span className="sr-only">at its terminal</span>
    </span>
  )
}
