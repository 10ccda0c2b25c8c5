import { render, unescape as unescaped } from '@holdpoint/core/text/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import { useId, useState } from 'react'
import { ArmedArea, ArmedButton, keyDecides, useArming } from '../arming/arming.tsx'
import { EditDiff } from '../text/diff-view.tsx'
import { EscapeWarning } from '../text/visible-text.tsx'
import { Button } from '../ui/button.tsx'
import { commandField, type Edited, editedInput } from './edited-input.ts'
import { panelKeys } from './panel-keys.ts'

interface EditPanelProps {
  readonly ask: Ask
  /** Ask and digest. */
  readonly decision: string
  readonly busy: boolean
  readonly off: boolean
  onAllow(input: Readonly<Record<string, unknown>>): void
  onClose(): void
}

/** Changes the input before it is allowed: the command where there is one, else the whole input as JSON. */
export function EditPanel({ ask, decision, busy, off, onAllow, onClose }: EditPanelProps) {
  const arming = useArming(decision)
  const field = useId()
  const original = ask.tool?.input ?? {}
  const name = commandField(ask)
  const before = name === undefined ? JSON.stringify(original, null, 2) : String(original[name])
  // Escapes stay escaped while the person edits, so that invisible characters are not removed or added by mistake.
  const [shown, setShown] = useState(() => render(before, { multiline: true }))
  const text = unescaped(shown)
  const edited: Edited =
    name === undefined ? editedInput(original, text) : { ok: true, input: { ...original, [name]: text } }
  const cannot = off || !edited.ok || text === before
  function allow() {
    if (edited.ok) onAllow(edited.input)
  }
  const onKeyDown = panelKeys({
    onClose,
    onConfirm(event) {
      if (!cannot && !busy && keyDecides(arming, event)) allow()
    },
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the text field and buttons inside.
    <div onKeyDown={onKeyDown} className="mt-3 border-t border-line px-4 py-3">
      <label htmlFor={field} className="text-[13px] text-quiet">
        {name === undefined ? 'Edit the input; your version will run' : 'Edit the command; your version will run'}
      </label>
      <textarea
        id={field}
        // biome-ignore lint/a11y/noAutofocus: the person asked for this field with the press before.
        autoFocus
        dir="ltr"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        value={shown}
        aria-invalid={!edited.ok}
        aria-describedby={`${field}-issue`}
        onChange={(event) => setShown(event.target.value)}
        className="mt-1 block scroll-mb-36 field-sizing-content max-h-[40dvh] min-h-20 w-full resize-y rounded-lg border border-edge bg-code px-3 py-2 font-mono text-base leading-6 focus-visible:outline-2 focus-visible:outline-accent sm:text-[13px]"
      />
      <p id={`${field}-issue`} aria-live="polite" className="mt-1 text-[13px] text-deny empty:hidden">
        {edited.ok ? '' : render(edited.issue)}
      </p>
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        <EscapeWarning texts={[text]} />
        {edited.ok && text !== before && <EditDiff before={before} after={text} />}
      </div>
      <ArmedArea arming={arming} className="mt-2.5 flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <ArmedButton variant="primary" off={cannot} busy={busy} onPress={allow} className="max-sm:flex-1">
          Allow with changes
        </ArmedButton>
      </ArmedArea>
    </div>
  )
}
