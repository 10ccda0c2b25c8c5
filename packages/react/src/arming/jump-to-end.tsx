import { ArrowDownToLine } from 'lucide-react'

/** Brings the first end that was not on screen yet there: of the card or the dialog that this button is in. */
export function JumpToEnd({ words = 'Jump to end' }: { words?: string }) {
  return (
    <button
      type="button"
      onClick={(event) => {
        const place = event.currentTarget.closest<HTMLElement>('dialog, [data-ask-id]')
        const scroller = place?.querySelector<HTMLElement>('[data-end="unseen"] > [role="group"]')
        // The button goes when the end was seen: the focus stays where the arrow keys scroll, or on the card.
        const keeper = scroller?.tabIndex === 0 ? scroller : place
        keeper?.focus({ preventScroll: true })
        if (scroller) jump(scroller)
      }}
      className="inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 text-left text-[13px] font-medium text-accent hover:underline focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-7"
    >
      <ArrowDownToLine aria-hidden className="size-3.5 shrink-0" />
      {words}
    </button>
  )
}

/** How often it looks again: what is laid out only in view has its true height after it was there. */
const JUMPS = 8

function jump(scroller: HTMLElement, left = JUMPS) {
  scroller.scrollTop = scroller.scrollHeight
  scroller.lastElementChild?.scrollIntoView({ block: 'center', inline: 'nearest' })
  if (left > 0) requestAnimationFrame(() => jump(scroller, left - 1))
}
