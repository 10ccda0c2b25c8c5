import type { ReactNode } from 'react'
import { ArmedArea, type Arming } from '../arming/arming.tsx'

/**
 * The buttons of a card. Those of a tall one stick to the bottom, above whatever the app keeps there (`--hp-bottom`). The hint
 * is outside of the armed area: where it goes and the buttons stay, their wait does not begin again.
 */
export function ActionRow({ arming, hint, children }: { arming: Arming; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className="bottom-(--hp-bottom,0px) z-1 mt-3 rounded-b-xl border-t border-line bg-card px-4 py-3 group-data-tall/card:sticky sm:border-transparent sm:pt-0 sm:group-data-tall/card:border-line sm:group-data-tall/card:pt-3">
      {hint}
      <ArmedArea arming={arming} className="flex flex-wrap items-center gap-2">
        {children}
      </ArmedArea>
    </div>
  )
}

/** On a phone the buttons that matter share the row, or two where their words need it; elsewhere they are as wide as their words. */
export const WIDE_ON_PHONE = 'grow sm:grow-0'

export function Spacer() {
  return <span className="hidden flex-1 sm:block" />
}
