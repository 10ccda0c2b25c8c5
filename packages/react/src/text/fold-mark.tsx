import { useState } from 'react'
import type { Fold } from './folds.ts'

/** A count in place of emptiness, which it shows on request. */
export function FoldMark({ fold, text }: { fold: Fold; text: string }) {
  const [open, setOpen] = useState(false)
  const said = `${fold.count.toLocaleString('en')} ${fold.unit}`
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        title={open ? `Fold the ${said}` : `Show the ${said}`}
        onClick={() => setOpen(!open)}
        className="mx-0.5 min-h-11 rounded-xl border border-wait-line bg-wait-bg px-2 font-sans text-xs leading-4 text-wait select-none hover:border-wait focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-0 pointer-fine:rounded-full"
      >
        {fold.unit === 'spaces' ? `· ${said} ·` : `⋯ ${said} ⋯`}
      </button>
      {open ? text : fold.unit === 'blank lines' && '\n'}
    </>
  )
}
