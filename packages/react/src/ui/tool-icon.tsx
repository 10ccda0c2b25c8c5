import type { DisplayIcon } from '@holdpoint/schema/display'
import {
  FilePen,
  FilePlus2,
  FileText,
  Globe,
  ListChecks,
  type LucideIcon,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react'

const ICONS: Readonly<Record<DisplayIcon, LucideIcon>> = {
  terminal: SquareTerminal,
  edit: FilePen,
  write: FilePlus2,
  read: FileText,
  web: Globe,
  search: Search,
  plan: ListChecks,
  tool: Wrench,
}

export function ToolIcon({ icon }: { icon: DisplayIcon }) {
  const Icon = ICONS[icon] ?? Wrench
  return <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
}
