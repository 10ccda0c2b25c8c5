import type { LucideIcon } from 'lucide-react'
import { Archive, EyeOff } from 'lucide-react'
import { setPreferences, usePreferences } from '../parts/preferences.ts'

/** What a list shows: what is of now, or what was put away. */
export type ListView = 'current' | 'archived'

/** What the list of all sessions leaves out. */
export function ListViews({ view, onView }: { view: ListView; onView(view: ListView): void }) {
  const { hideEnded } = usePreferences()
  const isArchive = view === 'archived'
  return (
    <fieldset aria-label="Show" className="-my-1 flex flex-wrap gap-2">
      {!isArchive && (
        <ToggleButton icon={EyeOff} pressed={hideEnded} onPress={() => setPreferences({ hideEnded: !hideEnded })}>
          Hide ended
        </ToggleButton>
      )}
      <ToggleButton icon={Archive} pressed={isArchive} onPress={() => onView(isArchive ? 'current' : 'archived')}>
        Archived
      </ToggleButton>
    </fieldset>
  )
}

interface ToggleButtonProps {
  readonly icon: LucideIcon
  readonly pressed: boolean
  onPress(): void
  readonly children: string
}

function ToggleButton({ icon: Icon, pressed, onPress, children }: ToggleButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className="flex min-h-11 items-center gap-2 rounded-lg border border-line bg-card px-3 text-sm text-quiet transition-colors hover:border-edge focus-visible:outline-2 focus-visible:outline-accent aria-pressed:border-accent aria-pressed:bg-accent-bg aria-pressed:text-ink pointer-fine:min-h-8.5"
    >
      <Icon aria-hidden className="size-4" />
      {children}
    </button>
  )
}
