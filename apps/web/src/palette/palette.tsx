import { Dialog, takesFocus } from '@holdpoint/react/ui/dialog'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { useLocation, useRoute } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { INPUT } from '../parts/field.tsx'

import { useCalmSessions } from '../sessions/use-calm-sessions.ts'
import { paletteEntries, searchPath } from './entries.ts'
import { isPaletteKey } from './palette-key.ts'
import { PaletteRow, SearchRow } from './palette-row.tsx'
import { rank } from './rank.ts'

const MOST = 50

/** Leads to any session, project or page by a part of its name. It answers no ask. */
export function Palette({ onClose }: { onClose(): void }) {
  const id = useId()
  const [, navigate] = useLocation()
  const entries = useEntries()
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => rank(entries, words, MOST), [entries, words])
  const typed = words.trim()
  // What ended long ago is known to the gateway alone.
  const paths = [...found.map(({ path }) => path), ...(typed === '' ? [] : [searchPath(typed)])]
  const marked = Math.min(at, paths.length - 1)
  const option = (index: number) => ({
    id: `${id}-${index}`,
    isMarked: index === marked,
    onPick: () => pick(index),
  })

  function pick(index: number) {
    const path = paths[index]
    if (path === undefined) return
    onClose()
    navigate(path)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setAt((marked + 1) % paths.length)
    else if (event.key === 'ArrowUp') setAt((marked - 1 + paths.length) % paths.length)
    else if (isPaletteKey(event.nativeEvent)) onClose()
    else return
    event.preventDefault()
  }

  return (
    <Dialog open onClose={onClose} title="Go to">
      {/* Sent, as a form is: the person has ended their typing then. */}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          pick(marked)
        }}
        className="-m-2 flex flex-col gap-2"
      >
        <div className="relative">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-faint"
          />
          <input
            ref={takesFocus}
            role="combobox"
            aria-label="Session, project or page"
            aria-expanded
            aria-controls={id}
            aria-autocomplete="list"
            aria-activedescendant={option(marked).id}
            value={words}
            onChange={(event) => {
              setWords(event.target.value)
              setAt(0)
            }}
            onKeyDown={onKeyDown}
            placeholder="Session, project or page"
            enterKeyHint="go"
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            className={`${INPUT} pl-9`}
          />
        </div>
        <div
          id={id}
          role="listbox"
          aria-label="Where to go"
          className="h-[min(50dvh,26rem)] overflow-y-auto overscroll-contain"
        >
          {found.map((entry, index) => (
            <PaletteRow key={entry.key} entry={entry} {...option(index)} />
          ))}
          {typed !== '' && <SearchRow words={typed} {...option(found.length)} />}
        </div>
      </form>
    </Dialog>
  )
}

function useEntries() {
  const sessions = useCalmSessions()
  const isOwner = useIsOwner()
  const hasMachines = useSeveralMachines().length > 0
  const [, params] = useRoute('/sessions/:id/:view?')
  const openId = params?.id
  return useMemo(() => {
    const openSession = sessions.find(({ id }) => id === openId)
    return paletteEntries(sessions, { isOwner, hasMachines, openSession })
  }, [sessions, isOwner, hasMachines, openId])
}
