import type { Ask } from '@holdpoint/schema/ask'
import { Braces, TextCursorInput } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ArmedArea, ArmedButton, keyDecides, useArming } from '../arming/arming.tsx'
import { Button } from '../ui/button.tsx'
import { JsonField, TextFields } from './edit-fields.tsx'
import { type Edited, type Input, jsonOf, sameBut, textFields, textWords } from './edited-input.ts'
import { panelKeys } from './panel-keys.ts'

interface EditPanelProps {
  readonly ask: Ask
  /** Ask and digest. */
  readonly decision: string
  readonly busy: boolean
  readonly off: boolean
  /** Why it is off. */
  readonly why: string | undefined
  onAllow(input: Input): void
  onClose(): void
}

/** Changes the input before it is allowed: its texts as texts where it has some, else, or when wanted, all of it as JSON. */
export function EditPanel({ ask, decision, busy, off, why, onAllow, onClose }: EditPanelProps) {
  const arming = useArming(decision)
  const panel = useRef<HTMLDivElement>(null)
  const original = useMemo(() => ask.tool?.input ?? {}, [ask])
  const names = useMemo(() => textFields(ask), [ask])
  const [asJson, setAsJson] = useState(names.length === 0)
  const [edited, setEdited] = useState<Edited>({ ok: true, input: original })
  useEffect(() => {
    // Not returned: some browsers give a promise, which React would call as a function.
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])

  const input = edited.ok ? edited.input : undefined
  const isSame = input !== undefined && jsonOf(input) === jsonOf(original)
  const whyOff = off ? why : isSame ? 'Nothing is changed yet' : input ? undefined : 'This is not valid yet'
  const cannot = off || isSame || !input
  // The texts show nothing else: what was changed elsewhere would run unseen (I6).
  const onlyTexts = input !== undefined && sameBut(names, original, input)
  const cannotBeText = asJson && names.length > 0 && !onlyTexts
  const aside = names.length > 0 && (
    <Button
      variant="quiet"
      icon={asJson ? TextCursorInput : Braces}
      off={cannotBeText}
      why={ONLY_JSON}
      onClick={() => setAsJson(!asJson)}
      className="-mr-2 -ml-2"
    >
      {asJson ? 'Edit as text' : 'Raw JSON'}
    </Button>
  )
  function allow() {
    if (input && !cannot) onAllow(input)
  }
  const onKeyDown = panelKeys({
    onClose,
    onConfirm(event) {
      if (!cannot && !busy && keyDecides(arming, event)) allow()
    },
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the text field and buttons inside.
    <div ref={panel} onKeyDown={onKeyDown} className="mt-3 border-t border-line">
      <div className="flex flex-col gap-3 px-4 py-3">
        {input && !asJson ? (
          <TextFields
            names={names}
            original={original}
            input={input}
            aside={aside}
            what={textWords(ask)}
            onChange={(next) => setEdited({ ok: true, input: next })}
          />
        ) : (
          <JsonField original={original} input={input ?? original} edited={edited} aside={aside} onChange={setEdited} />
        )}
        {cannotBeText && input && <p className="text-[13px] text-quiet">{ONLY_JSON}</p>}
      </div>
      <ArmedArea
        arming={arming}
        className="bottom-(--hp-bottom,0px) z-1 flex flex-wrap items-center justify-end gap-2 rounded-b-xl border-t border-line bg-card px-4 py-2.5 group-data-tall/card:sticky"
      >
        <span className="text-[13px] text-quiet max-sm:basis-full">{whyOff}</span>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <ArmedButton variant="primary" off={cannot} why={whyOff} busy={busy} onPress={allow} className="max-sm:flex-1">
          Allow with changes
        </ArmedButton>
      </ArmedArea>
    </div>
  )
}

const ONLY_JSON = 'As text, not all that you have changed could be seen: it stays JSON.'
