import { useEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export interface MoreChoice {
  readonly label: string
  readonly hint: string
  choose(): void
}

/** What a phone has no room for next to the two large buttons. */
export function MoreSheet({
  open,
  choices,
  note,
  onClose,
}: {
  open: boolean
  /** Why something is not among them. */
  note?: string | undefined
  choices: readonly MoreChoice[]
  onClose(): void
}) {
  const chosen = useRef<() => void>(undefined)
  // Once the dialog is closed, as effects of children come first: what opens then takes the focus, which nothing behind an
  // open dialog can.
  useEffect(() => {
    if (open) return
    const choose = chosen.current
    chosen.current = undefined
    choose?.()
  }, [open])
  return (
    <Dialog open={open} onClose={onClose} title="More">
      <ul className="flex flex-col gap-2">
        {choices.map(({ label, hint, choose }) => (
          <li key={label}>
            <Button
              className="w-full justify-start py-2.5 text-left whitespace-normal"
              onClick={() => {
                chosen.current = choose
                onClose()
              }}
            >
              <span className="flex flex-col">
                {label}
                <span className="text-[13px] font-normal text-quiet">{hint}</span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
      {note !== undefined && <p className="pt-3 text-[13px] text-quiet">{note}.</p>}
    </Dialog>
  )
}
