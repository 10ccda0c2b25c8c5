import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from './icon-button.tsx'

export interface DialogProps {
  readonly open: boolean
  /** Asked for by the close button, by Escape and by a click beside the dialog. */
  onClose(): void
  readonly title: string
  readonly children: ReactNode
  /** The buttons, at the bottom and always in sight. */
  readonly footer?: ReactNode
  /** Beside the title. */
  readonly aside?: ReactNode
  /** Stays when somebody clicks beside it: for a dialog whose closing decides something. */
  readonly firm?: boolean
  /** Over the whole window, for what is long to read. */
  readonly full?: boolean
}

/** A modal dialog; on a phone, a sheet at the bottom. The browser keeps the focus inside and gives it back. */
export function Dialog({ open, onClose, title, children, footer, aside, firm = false, full = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const [closes, setCloses] = useState(0)
  // How often the browser has closed it by itself. It is opened again if its owner still wants it open.
  useEffect(() => {
    const element = dialog.current
    if (!element || element.open === open) return
    if (open) element.showModal()
    else element.close()
  }, [open, closes])
  // An owner that takes it away instead of closing it: the browser gives the focus back only when it closes.
  useLayoutEffect(() => {
    const element = dialog.current
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape, which the browser handles.
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={() => {
        if (!open || dialog.current?.open) return
        // A second Escape in a row cannot be prevented: the dialog is gone, whether its owner wants it to be or not.
        setCloses((before) => before + 1)
        onClose()
      }}
      onClick={(event) => !firm && event.target === dialog.current && onClose()}
      className={`hp-surface overflow-hidden border-line bg-card p-0 text-ink shadow-lift ${full ? 'hp-full' : 'hp-dialog rounded-2xl border'}`}
    >
      {open && (
        <div className={`flex flex-col ${full ? 'h-full' : 'max-h-[inherit]'}`}>
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <h2 id={heading} className="min-w-0 flex-1 truncate text-base font-semibold">
              {title}
            </h2>
            {aside}
            <IconButton icon={X} label="Close" onClick={onClose} />
          </div>
          <div className={`min-h-0 flex-1 ${full ? 'p-2 sm:p-4' : 'relative overflow-y-auto px-4 py-4'}`}>
            {children}
          </div>
          {footer && <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</div>}
        </div>
      )}
    </dialog>
  )
}

/** The `ref` of what gets the focus when the dialog opens. React's `autoFocus` comes too early: nothing is shown yet. */
export function takesFocus(element: HTMLElement | null): void {
  if (element) element.autofocus = true
}
