import { createContext, type ReactNode, useContext } from 'react'
import type { DiffLine } from './unified-diff.ts'

/** What can be done with the lines of a diff, beside reading them. */
export interface LineNoting {
  /** Left out where there is no mouse: a finger does not hit a line's number. */
  readonly onPick?: ((line: DiffLine) => void) | undefined
  /** What stands below a line. */
  below(line: DiffLine): ReactNode
}

const LineNotesContext = createContext<LineNoting | undefined>(undefined)

/** Makes the line numbers of the diffs inside buttons. */
export function LineNotes({ value, children }: { value: LineNoting | undefined; children: ReactNode }) {
  return <LineNotesContext value={value}>{children}</LineNotesContext>
}

export const useLineNotes = () => useContext(LineNotesContext)
