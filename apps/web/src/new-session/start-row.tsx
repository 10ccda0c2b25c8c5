import { Button } from '@holdpoint/react/ui/button'
import { Kbd } from '@holdpoint/react/ui/kbd'
import { useId } from 'react'
import type { Missing } from './what-is-missing.ts'

export interface StartRowProps {
  readonly missing: Missing | undefined
  /** Somebody has pressed it although something is missing. */
  readonly wasTried: boolean
  readonly busy: boolean
  /** Leads to what is missing. */
  onOff(): void
}

/** The end of the form, always in sight: what is missing, or Start. What has the focus is scrolled above it (`data-sticky`). */
export function StartRow({ missing, wasTried, busy, onOff }: StartRowProps) {
  const id = useId()
  return (
    <div
      data-sticky
      className="sticky bottom-0 z-10 -mx-4 flex items-center justify-end gap-4 border-t border-line bg-bg px-4 py-3 sm:-mx-2 sm:px-2"
    >
      <p
        id={id}
        role="status"
        className={`min-w-0 flex-1 text-sm sm:text-right ${missing && wasTried ? 'text-deny' : 'text-quiet'}`}
      >
        {missing ? (
          missing.words
        ) : (
          <span className="hidden items-center justify-end gap-1 pointer-fine:flex">
            <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> starts it
          </span>
        )}
      </p>
      <Button
        type="submit"
        variant="primary"
        off={missing !== undefined}
        onOff={onOff}
        busy={busy}
        aria-describedby={id}
        className="min-w-24"
      >
        Start
      </Button>
    </div>
  )
}
