import { type ClipboardEvent, type KeyboardEvent, type Ref, useRef } from 'react'
import { type KeyModes, keyBytes, pasteBytes, textBytes } from './key-bytes.ts'

export interface TypingFieldProps {
  readonly modes: KeyModes
  readonly ref: Ref<HTMLTextAreaElement>
  onBytes(bytes: string): void
  onLeave(): void
  /** By so many pages, down or up. */
  onScroll(pages: 1 | -1): void
}

/** Takes the keys, the input method's text and the clipboard's, and keeps none of it. It stands where the cursor is. */
export function TypingField({ modes, ref, onBytes, onLeave, onScroll }: TypingFieldProps) {
  const isComposing = useRef(false)

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && event.shiftKey) {
      event.preventDefault()
      return onLeave()
    }
    if (event.shiftKey && (event.key === 'PageUp' || event.key === 'PageDown')) {
      event.preventDefault()
      return onScroll(event.key === 'PageUp' ? -1 : 1)
    }
    const isCopying = event.ctrlKey && event.key === 'c' && getSelection()?.isCollapsed === false
    const bytes = isCopying ? undefined : keyBytes(event, modes)
    if (bytes === undefined) return
    event.preventDefault()
    onBytes(bytes)
  }
  function takeText(field: HTMLTextAreaElement) {
    const bytes = textBytes(field.value)
    field.value = ''
    if (bytes !== '') onBytes(bytes)
  }
  function onPaste(event: ClipboardEvent) {
    event.preventDefault()
    const text = event.clipboardData.getData('text/plain')
    if (text !== '') onBytes(pasteBytes(text, modes))
  }

  return (
    <textarea
      ref={ref}
      aria-label="Keys for the program in the terminal"
      autoCapitalize="none"
      autoComplete="off"
      autoCorrect="off"
      spellCheck={false}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      onCompositionStart={() => {
        isComposing.current = true
      }}
      onCompositionEnd={(event) => {
        isComposing.current = false
        takeText(event.currentTarget)
      }}
      onInput={(event) => {
        if (!isComposing.current) takeText(event.currentTarget)
      }}
      // As large as iOS wants it, or it zooms in; as narrow as it gets.
      className="size-full w-px resize-none overflow-hidden border-0 bg-transparent p-0 text-base text-transparent caret-transparent outline-none"
    />
  )
}
