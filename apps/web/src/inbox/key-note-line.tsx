import type { KeyNote } from './use-key-note.ts'

/** Always there: a screen reader tells only what changes in it. */
export function KeyNoteLine({ note }: { note: KeyNote | undefined }) {
  return (
    <p role="status" className="text-sm font-medium text-wait empty:hidden">
      {note && <span key={note.count}>{note.words}</span>}
    </p>
  )
}
