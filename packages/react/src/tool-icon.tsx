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

const ICONS: ReadonlyMap<string, LucideIcon> = new Map([
  ['Bash', SquareTerminal],
  ['Edit', FilePen],
  ['MultiEdit', FilePen],
  ['NotebookEdit', FilePen],
  ['Write', FilePlus2],
  ['Read', FileText],
  ['WebFetch', Globe],
  ['WebSearch', Search],
  ['ExitPlanMode', ListChecks],
])

export function ToolIcon({ name }: { name: string }) {
  const Icon = ICONS.get(name) ?? Wrench
  return <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-wait" />
}
