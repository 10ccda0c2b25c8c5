import type { Question } from '@holdpoint/schema/ask'
import { useId, useRef } from 'react'
import { useKeepInSight } from '../arming/use-keep-in-sight.ts'
import { CodeBlock } from '../text/code-block.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { Chip } from '../ui/chip.tsx'
import { Kbd } from '../ui/kbd.tsx'
import type { Pick } from './question-state.ts'

interface QuestionFieldProps {
  readonly question: Question
  /** From 0, and of how many. */
  readonly place: number
  readonly count: number
  readonly pick: Pick
  readonly off: boolean
  /** Whether digits that are typed pick an option of this question; left out where no question has them. */
  readonly digits?: 'here' | 'elsewhere'
  onFocus?(): void
  onBlur?(): void
  onPick(option: number): void
  onWrite(text: string): void
}

/** One question: options as native radio buttons or check boxes, and "Other" with room for one's own words. */
export function QuestionField({
  question,
  place,
  count,
  pick,
  off,
  digits,
  onFocus,
  onBlur,
  onPick,
  onWrite,
}: QuestionFieldProps) {
  const name = useId()
  const text = useRef<HTMLTextAreaElement>(null)
  useKeepInSight(text, pick.other, pick.text)
  const type = question.multiSelect ? 'checkbox' : 'radio'
  const other = question.options.length
  // Nothing to choose from: one's own words are the answer, and not another one.
  const isFree = other === 0
  const hasPreview = question.options.some((option) => option.preview !== undefined)
  const columns = other > 1 && !hasPreview ? 'md:grid-cols-2' : ''
  return (
    <fieldset data-question={place} data-digits={digits} onFocus={onFocus} onBlur={onBlur} className="min-w-0">
      <legend className="flex w-full flex-wrap items-baseline gap-x-2 gap-y-1 pb-2 font-medium">
        {question.header !== undefined && (
          <Chip tone="accent">
            <VisibleText text={question.header} />
          </Chip>
        )}
        <VisibleText text={question.question} multiline className="min-w-0 whitespace-pre-wrap wrap-anywhere" />
        <span className="ml-auto text-xs font-normal text-faint">
          {question.multiSelect && 'any number'}
          {question.multiSelect && count > 1 && ' · '}
          {count > 1 && `${place + 1} of ${count}`}
        </span>
      </legend>
      <div className={`grid gap-1.5 ${columns}`}>
        {question.options.map((option, index) => (
          <div key={index} className={OPTION}>
            <label className="flex min-h-11 cursor-pointer gap-2.5 px-3 py-3 pointer-fine:min-h-9 pointer-fine:py-2">
              <input
                type={type}
                name={name}
                checked={pick.options.includes(index)}
                aria-disabled={off || undefined}
                onChange={() => onPick(index)}
                className={INPUT}
              />
              <span className="min-w-0">
                <VisibleText text={option.label} className="wrap-anywhere" />
                {option.description !== undefined && (
                  <VisibleText
                    text={option.description}
                    multiline
                    className="block text-[13px] whitespace-pre-wrap text-quiet wrap-anywhere"
                  />
                )}
              </span>
              {digits && index < 9 && <Digit digit={index + 1} isHere={digits === 'here'} />}
            </label>
            {option.preview !== undefined && (
              <div className="px-3 pb-2.5">
                <CodeBlock text={option.preview} label="Preview, from the agent" maxHeight="none" />
              </div>
            )}
          </div>
        ))}
        <div className={isFree ? 'min-w-0' : OPTION}>
          {!isFree && (
            <label className="flex min-h-11 cursor-pointer gap-2.5 px-3 py-3 pointer-fine:min-h-9 pointer-fine:py-2">
              <input
                type={type}
                name={name}
                checked={pick.other}
                aria-disabled={off || undefined}
                onChange={() => {
                  onPick(other)
                  if (!off && !pick.other) text.current?.focus()
                }}
                className={INPUT}
              />
              <span>Other…</span>
              {digits && other < 9 && <Digit digit={other + 1} isHere={digits === 'here'} />}
            </label>
          )}
          <div className={isFree ? '' : pick.other ? 'px-3 pb-2.5' : 'sr-only'}>
            <textarea
              ref={text}
              aria-label={isFree ? 'Your answer' : 'Other: your own words'}
              rows={1}
              value={pick.text}
              readOnly={off}
              tabIndex={isFree || pick.other ? 0 : -1}
              maxLength={65_536}
              placeholder="Say it in your own words"
              onChange={(event) => onWrite(event.target.value)}
              className="block scroll-mb-36 field-sizing-content max-h-48 min-h-11 w-full resize-none rounded-md border border-edge bg-card px-2.5 py-2 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-10 sm:text-sm"
            />
          </div>
        </div>
      </div>
    </fieldset>
  )
}

const OPTION =
  'min-w-0 rounded-lg border border-line transition-colors motion-reduce:transition-none has-checked:border-accent has-checked:bg-accent-bg not-has-checked:hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent'
/** Never disabled for real: a control that is disabled under the focus loses it. */
const INPUT = 'mt-0.5 size-4 shrink-0 accent-accent outline-none aria-disabled:opacity-55'

/** The key that picks the option; of use only with a keyboard. It keeps its place while another question has the keys. */
function Digit({ digit, isHere }: { digit: number; isHere: boolean }) {
  return (
    <span aria-hidden className={`ml-auto pl-2 pointer-coarse:hidden ${isHere ? '' : 'invisible'}`}>
      <Kbd>{digit}</Kbd>
    </span>
  )
}
