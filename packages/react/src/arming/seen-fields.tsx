import type { ReactNode } from 'react'
import { SeenRegion } from './seen-region.tsx'

interface SeenFieldsProps {
  readonly label: string
  /** When it changes, the end must be seen again. */
  readonly content: string
  readonly children: ReactNode
  onEndSeen(): void
}

/**
 * Fields and options to answer with. All of them have to be seen to their end before anything is sent: what is filled in
 * already, and what an option says, may be anywhere in it (T26). So nothing inside may scroll by itself.
 */
export function SeenFields({ label, content, children, onEndSeen }: SeenFieldsProps) {
  return (
    <SeenRegion
      label={label}
      content={content}
      maxHeight="min(65dvh, 44rem)"
      frameless
      className="-mx-2 -my-1"
      onEndSeen={onEndSeen}
    >
      <div className="flex flex-col gap-4 p-2">{children}</div>
    </SeenRegion>
  )
}
