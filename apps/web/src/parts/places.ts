import {
  Archive,
  ChartNoAxesColumn,
  History,
  Inbox,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Server,
  Settings,
} from 'lucide-react'

export interface Place {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
  /** Only an owner finds something there. */
  readonly isOwners?: true
  /** There is something only where several machines share a log. */
  readonly isOfMachines?: true
}

export const INBOX: Place = { path: '/', name: 'Inbox', icon: Inbox }

/** Places that are seldom needed, in the order of need. */
const MORE_PLACES: readonly Place[] = [
  { path: '/past', name: 'Past sessions', icon: Archive, isOwners: true },
  { path: '/devices', name: 'Devices', icon: MonitorSmartphone },
  { path: '/machines', name: 'Machines', icon: Server, isOfMachines: true },
  { path: '/history', name: 'History', icon: History },
  { path: '/usage', name: 'Usage', icon: ChartNoAxesColumn },
  { path: '/rules', name: 'Rules', icon: ScrollText },
  { path: '/settings', name: 'Settings', icon: Settings },
]

export function morePlaces({ isOwner, hasMachines }: { isOwner: boolean; hasMachines: boolean }): readonly Place[] {
  return MORE_PLACES.filter(({ isOwners, isOfMachines }) => (isOwner || !isOwners) && (hasMachines || !isOfMachines))
}
