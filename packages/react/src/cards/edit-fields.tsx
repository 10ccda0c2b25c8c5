import { render, unescape as unescaped } from '@holdpoint/core/text/visible-text'
import { type ReactNode, useId, useState } from 'react'
import { EditDiff } from '../text/diff-view.tsx'
import { EscapeWarning, VisibleText } from '../text/visible-text.tsx'
import { type Edited, editedInput, type Input, jsonOf } from './edited-input.ts'

interface TextFieldsProps {
  readonly names: readonly string[]
  /** Of the agent. */
  readonly original: Input
  readonly input: Input
  /** What the one text is, in words; without them, each goes by its name. */
  readonly what: string | undefined
  /** Beside the first label. */
  readonly aside: ReactNode
  onChange(input: Input): void
}

/** The texts of an input, each as it is, with what was changed in it. */
export function TextFields({ names, original, input, what, aside, onChange }: TextFieldsProps) {
  return names.map((name, place) => (
    <TextField
      key={name}
      label={what === undefined ? undefined : `Your version of ${what}`}
      name={name}
      before={String(original[name])}
      text={String(input[name])}
      isFirst={place === 0}
      aside={place === 0 && aside}
      onChange={(text) => onChange({ ...input, [name]: text })}
    />
  ))
}

interface TextFieldProps {
  readonly label: string | undefined
  readonly name: string
  readonly before: string
  readonly text: string
  readonly isFirst: boolean
  readonly aside: ReactNode
  onChange(text: string): void
}

function TextField({ label, name, before, text, isFirst, aside, onChange }: TextFieldProps) {
  const field = useId()
  // Escapes stay escaped while the person edits, so that invisible characters are not removed or added by mistake.
  const [shown, setShown] = useState(() => render(text, { multiline: true }))
  return (
    <div>
      <LabelRow field={field} aside={aside}>
        {label ?? (
          <>
            Your version of <VisibleText text={name} code className="font-mono" />
          </>
        )}
      </LabelRow>
      <CodeArea
        id={field}
        isFirst={isFirst}
        shown={shown}
        onChange={(next) => {
          setShown(next)
          onChange(unescaped(next))
        }}
      />
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        <EscapeWarning texts={[text]} />
        {CONTROLS.test(before) && (
          <p className="text-[13px] text-quiet">
            A text field cannot hold some characters of this text. Each is shown as an escape, such as{' '}
            <code className="font-mono">⟨U+000D⟩</code> at the end of a line from Windows. What you leave of them runs
            as it was.
          </p>
        )}
        {text !== before && <EditDiff before={before} after={text} />}
      </div>
    </div>
  )
}

/** What a text field of a browser drops or changes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/

interface JsonFieldProps {
  readonly original: Input
  readonly input: Input
  readonly edited: Edited
  /** Beside the label. */
  readonly aside: ReactNode
  onChange(edited: Edited): void
}

/** The whole input as JSON, with what was changed in it. */
export function JsonField({ original, input, edited, aside, onChange }: JsonFieldProps) {
  const field = useId()
  const [shown, setShown] = useState(() => render(jsonOf(input), { multiline: true }))
  const before = jsonOf(original)
  // As it will be sent: a number that is too long, or a name that is there twice, is not what was typed.
  const after = edited.ok ? jsonOf(edited.input) : before
  return (
    <div>
      <LabelRow field={field} aside={aside}>
        Your version of the input, as JSON
      </LabelRow>
      <CodeArea
        id={field}
        isFirst
        shown={shown}
        issue={edited.ok ? '' : render(edited.issue)}
        onChange={(next) => {
          setShown(next)
          onChange(editedInput(original, unescaped(next)))
        }}
      />
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        <EscapeWarning texts={[after]} />
        {after !== before && <EditDiff before={before} after={after} />}
      </div>
    </div>
  )
}

function LabelRow({ field, aside, children }: { field: string; aside: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3">
      <label htmlFor={field} className="text-[13px] text-quiet">
        {children}
      </label>
      {aside}
    </div>
  )
}

interface CodeAreaProps {
  readonly id: string
  readonly shown: string
  readonly isFirst: boolean
  /** What is wrong with it; left out where nothing can be. */
  readonly issue?: string
  onChange(shown: string): void
}

function CodeArea({ id, shown, isFirst, issue, onChange }: CodeAreaProps) {
  return (
    <>
      <textarea
        id={id}
        // biome-ignore lint/a11y/noAutofocus: the person asked for this field with the press before.
        autoFocus={isFirst}
        dir="ltr"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        value={shown}
        aria-invalid={issue !== undefined && issue !== ''}
        aria-describedby={issue === undefined ? undefined : `${id}-issue`}
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 block scroll-mb-36 field-sizing-content max-h-[40dvh] min-h-20 w-full resize-y rounded-lg border border-edge bg-code px-3 py-2 font-mono text-base leading-6 [tab-size:4] focus-visible:outline-2 focus-visible:outline-accent sm:text-[13px]"
      />
      {issue !== undefined && (
        <p id={`${id}-issue`} aria-live="polite" className="mt-1 text-[13px] text-deny empty:hidden">
          {issue}
        </p>
      )}
    </>
  )
}
