import type { KeyboardEvent } from 'react'

interface PanelKeys {
  onConfirm(event: KeyboardEvent): void
  onClose(): void
}

/** Of a panel that was opened on a card: Escape closes it alone, Ctrl+Enter does what it is there for. */
export function panelKeys({ onConfirm, onClose }: PanelKeys) {
  return (event: KeyboardEvent) => {
    // A dialog that the panel has opened has its own Escape.
    if (event.target instanceof Element && event.currentTarget.contains(event.target.closest('dialog'))) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      // The field goes with its panel: the focus goes back to the card that it was opened from.
      event.currentTarget.closest<HTMLElement>('[data-ask-id]')?.focus({ preventScroll: true })
      onClose()
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      onConfirm(event)
    }
  }
}
