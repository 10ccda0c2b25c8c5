import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './icon-button.tsx'

export interface DialogProps {
  readonly open: boolean
  /** Asked for by the close button, by Escape and by a click beside the dialog. */
  onClose(): void
  readonly title: string
  readonly children: ReactNode
  /** The buttons, at the bottom and always in sight. */
  readonly footer?: ReactNode
}

/** A modal dialog; on a phone, a sheet at the bottom. The browser keeps the focus inside and gives it back. */
export function Dialog({ open, onClose, title, children, footer }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element || element.open === open) return
    if (open) element.showModal()
    else element.close()
  }, [open])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape, which the browser handles.
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="hp-dialog overflow-hidden rounded-2xl border border-line bg-card p-0 text-ink shadow-lift"
    >
      {open && (
        <div className="flex max-h-[inherit] flex-col">
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <h2 id={heading} className="min-w-0 flex-1 truncate text-base font-semibold">
              {title}
            </h2>
            <IconButton icon={X} label="Close" onClick={onClose} />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>
          {footer && <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>}
        </div>
      )}
    </dialog>
  )
}
