import { isAway } from '../machines/machine-of.ts'
import { yesNeedsItsMachine } from '../machines/yes-needs-machine.ts'
import type { OpenCardProps } from './card-frame.tsx'

/** Why no yes can be given now. */
export function whyYesWaits({ ask, machine }: Pick<OpenCardProps, 'ask' | 'machine'>): string | undefined {
  return machine && isAway(machine) && yesNeedsItsMachine(ask) ? 'Waits for its machine' : undefined
}

/** What a press on a card decides. When its machine is back the buttons have to be armed anew. */
export function decisionOf({ ask, machine }: Pick<OpenCardProps, 'ask' | 'machine'>): string {
  return `${ask.id} ${ask.digest}${machine && isAway(machine) ? ' away' : ''}`
}
