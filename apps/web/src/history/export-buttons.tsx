import { callOf } from '@holdpoint/client/endpoint-call'
import { Button } from '@holdpoint/react/ui/button'
import type { HistoryFilter } from '@holdpoint/schema/endpoints/history'
import { paths } from '@holdpoint/schema/paths'
import { Download } from 'lucide-react'
import { useDownload } from '../parts/use-download.ts'

const FORMATS = [
  { format: 'jsonl', label: 'JSON Lines' },
  { format: 'csv', label: 'CSV' },
] as const

/** Downloads what the search finds. */
export function ExportButtons({ query }: { query: HistoryFilter }) {
  const { download, hasFailed } = useDownload()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="flex items-center gap-1.5 text-sm text-quiet">
        <Download aria-hidden className="size-4" />
        Export
      </span>
      {FORMATS.map(({ format, label }) => (
        <Button
          key={format}
          onClick={() => void download(callOf(paths.history.export, { query: { ...query, format } }).path)}
        >
          <span className="sr-only">Export as </span>
          {label}
        </Button>
      ))}
      {hasFailed && (
        <p role="alert" className="text-sm text-deny">
          The export did not start. Try again.
        </p>
      )}
    </div>
  )
}
