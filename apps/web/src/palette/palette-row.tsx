import { VisibleText } from '@holdpoint/react/text/visible-text'
import { StatusDot, statusOf, statusWords } from '@holdpoint/react/ui/session-status'
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PaletteEntry } from './entries.ts'

interface OptionProps {
  readonly id: string
  readonly isMarked: boolean
  onPick(): void
}

export function PaletteRow({ entry, ...option }: OptionProps & { entry: PaletteEntry }) {
  if (entry.kind === 'session') {
    const { session, project } = entry
    const status = statusOf(session)
    return (
      <Option
        {...option}
        sign={<StatusDot status={status} />}
        name={<VisibleText text={session.title} />}
        hint={
          <>
            <VisibleText text={project} code />
            <span className={entry.isWaiting ? 'font-medium text-wait' : ''}> · {statusWords(status)}</span>
          </>
        }
      />
    )
  }
  const { kind, name, icon: Icon } = entry
  return (
    <Option
      {...option}
      sign={<Icon aria-hidden className="size-4 text-quiet" />}
      name={kind === 'project' ? <VisibleText text={name} code /> : name}
      hint={kind === 'project' ? 'sessions of this project' : 'page'}
    />
  )
}

/** The way to all that is not in the list. */
export function SearchRow({ words, ...option }: OptionProps & { words: string }) {
  return (
    <Option
      {...option}
      sign={<Search aria-hidden className="size-4 text-quiet" />}
      name={
        <>
          Search all sessions for “<VisibleText text={words} />”
        </>
      }
    />
  )
}

interface OptionParts extends OptionProps {
  readonly sign: ReactNode
  readonly name: ReactNode
  readonly hint?: ReactNode
}

function Option({ id, isMarked, onPick, sign, name, hint }: OptionParts) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus, and the keys.
    <div
      id={id}
      ref={isMarked ? intoView : undefined}
      role="option"
      aria-selected={isMarked}
      // A press does not take the focus from the field.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className="grid min-h-11 cursor-pointer grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-2.5 rounded-lg px-2.5 text-sm hover:bg-panel aria-selected:bg-accent-bg pointer-fine:min-h-9"
    >
      <span className="flex justify-center">{sign}</span>
      <span className="truncate">{name}</span>
      <span className="max-w-48 truncate text-xs text-quiet">{hint}</span>
    </div>
  )
}

function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
