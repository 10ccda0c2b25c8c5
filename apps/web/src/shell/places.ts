import { History, Inbox, type LucideIcon, MonitorSmartphone, ScrollText, Settings } from 'lucide-react'

export interface Place {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
}

export const INBOX: Place = { path: '/', name: 'Inbox', icon: Inbox }

/** Places that are seldom needed, in the order of need. */
export const MORE_PLACES: readonly Place[] = [
  { path: '/devices', name: 'Devices', icon: MonitorSmartphone },
  { path: '/history', name: 'History', icon: History },
  { path: '/rules', name: 'Rules', icon: ScrollText },
  { path: '/settings', name: 'Settings', icon: Settings },
]
