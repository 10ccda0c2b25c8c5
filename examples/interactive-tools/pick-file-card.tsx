import type { Ask } from '@holdpoint/client'
import { type CardContentProps, type CardEntry, type FormValue, VisibleText } from '@holdpoint/react'
import { useId, useState } from 'react'

/** The inside of a file picker's card: a filter over the names, and the names to choose from. */
function PickFile({ ask, value, off, onChange }: CardContentProps<FormValue>) {
  const group = useId()
  const [filter, setFilter] = useState('')
  const files = filesOf(ask)
  const shown = files.filter((file) => file.toLowerCase().includes(filter.toLowerCase()))
  return (
    <fieldset disabled={off} className="flex flex-col gap-2">
      <legend className="sr-only">File</legend>
      {files.length > 8 && (
        <input
          type="search"
          aria-label="Filter"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className="min-h-11 rounded-lg border border-edge bg-card px-3 text-base"
        />
      )}
      <div>
        {shown.map((file) => (
          <label key={file} className="flex min-h-11 items-center gap-2.5">
            <input
              type="radio"
              name={group}
              checked={value?.file === file}
              onChange={() => onChange({ file })}
              className="size-4"
            />
            <VisibleText text={file} className="font-mono text-[13px]" />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function filesOf(ask: Ask): readonly string[] {
  const properties = ask.form?.schema?.properties as { file?: { enum?: readonly string[] } } | undefined
  return properties?.file?.enum ?? []
}

export const pickFileCard: CardEntry = {
  kind: 'form',
  matches: (ask) => ask.tool?.name === 'mcp__files__pick_file',
  Card: PickFile,
}
