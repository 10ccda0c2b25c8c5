import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { LucideIcon } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'

interface MenuProps {
  readonly icon: LucideIcon
  readonly label: string
  /** `MenuRow`s. They are there only while the menu is open. */
  readonly children: ReactNode
}

/** A button with a list of actions; on a phone, a sheet at the bottom. Escape, Tab and a press beside it close it. */
export function Menu({ icon, label, children }: MenuProps) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)

  function place() {
    const { bottom, right } = button.current?.getBoundingClientRect() ?? new DOMRect()
    menu.current?.style.setProperty('--menu-top', `${bottom + 4}px`)
    menu.current?.style.setProperty('--menu-right', `${document.documentElement.clientWidth - right}px`)
  }
  return (
    <>
      <IconButton
        ref={button}
        icon={icon}
        label={label}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
      />
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onBeforeToggle={(event) => event.newState === 'open' && place()}
        onToggle={(event) => setIsOpen(event.newState === 'open')}
        onKeyDown={(event) => onKeyDown(event, menu.current)}
        className="hp-surface hp-menu rounded-xl border border-line bg-card p-1 text-ink shadow-lift outline-none"
      >
        {isOpen && <MenuRows close={() => menu.current?.hidePopover()}>{children}</MenuRows>}
      </div>
    </>
  )
}

/** What was picked acts when the menu is closed: a dialog gives the focus back to the button then. */
function MenuRows({ close, children }: { close(): void; children: ReactNode }) {
  return (
    <div
      ref={focusFirst}
      onClickCapture={(event) =>
        event.target instanceof Element && event.target.closest('[role=menuitem]:not([aria-disabled])') && close()
      }
    >
      {children}
    </div>
  )
}

export interface MenuRowProps {
  readonly icon: LucideIcon
  readonly label: string
  onPick(): void
  /** Why it cannot be picked now. */
  readonly why?: string | undefined
  readonly tone?: 'deny'
  readonly className?: string
}

export function MenuRow({ icon: Icon, label, onPick, why, tone, className = '' }: MenuRowProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={why !== undefined || undefined}
      onClick={why === undefined ? onPick : undefined}
      className={`flex min-h-11 w-full items-center gap-3 rounded-lg px-3 py-1.5 text-left text-sm not-aria-disabled:hover:bg-panel focus:bg-panel focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent aria-disabled:cursor-default aria-disabled:text-faint pointer-fine:min-h-9 ${tone === 'deny' ? 'text-deny' : ''} ${className}`}
    >
      <Icon aria-hidden className="size-4 shrink-0 opacity-80" />
      <span className="min-w-0">
        {label}
        {why !== undefined && <span className="block text-xs">{why}</span>}
      </span>
    </button>
  )
}

/** Between groups of rows. */
export function MenuLine() {
  return <hr className="mx-2 my-1 border-line" />
}

function focusFirst(rows: HTMLElement | null): void {
  rowsOf(rows)[0]?.focus()
}

function rowsOf(within: Element | null): HTMLElement[] {
  const rows = within?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []
  // A row may be for narrow windows only.
  return [...rows].filter((row) => row.checkVisibility())
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at <= 0 ? count : at) - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

function onKeyDown(event: KeyboardEvent, menu: HTMLElement | null) {
  // Its keys are its own: none is a command of the page.
  event.stopPropagation()
  if (event.key === 'Tab') {
    menu?.hidePopover()
    return
  }
  const step = STEPS[event.key]
  const rows = rowsOf(menu)
  if (!step || rows.length === 0) return
  event.preventDefault()
  const at = rows.findIndex((row) => row.matches(':focus'))
  rows[step(at, rows.length)]?.focus()
}
