import type { DisplayIcon } from '@holdpoint/schema/display'
import {
  Bot,
  FilePen,
  FilePlus2,
  FileText,
  FolderSearch,
  Globe,
  ListChecks,
  ListTodo,
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
  find: FolderSearch,
  tasks: ListTodo,
  agent: Bot,
  own: Wrench,
}

export function ToolIcon({ icon }: { icon: DisplayIcon }) {
  const Icon = ICONS[icon] ?? Wrench
  return <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
}
