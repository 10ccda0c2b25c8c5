import type { ReactNode } from 'react'
import { ArmedArea, type Arming } from '../arming.tsx'

/**
 * The buttons of a card. On a phone they stick to the bottom of the screen while the card is taller than it, above
 * whatever the app keeps there (`--hp-bottom`).
 */
export function ActionRow({ arming, hint, children }: { arming: Arming; hint?: ReactNode; children: ReactNode }) {
  return (
    <ArmedArea
      arming={arming}
      className="sticky bottom-(--hp-bottom,0px) z-1 mt-3 rounded-b-xl border-t border-line bg-card px-4 py-3 sm:static sm:border-0 sm:pt-0"
    >
      {hint}
      <div className="flex items-center gap-2">{children}</div>
    </ArmedArea>
  )
}

/** On a phone the buttons that matter share the row; elsewhere they are as wide as their words. */
export const WIDE_ON_PHONE = 'flex-1 sm:flex-none'

export function Spacer() {
  return <span className="hidden flex-1 sm:block" />
}
