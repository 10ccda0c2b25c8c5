/** Where letters are words, not commands. */
export const TEXT_FIELDS = 'textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])'

let typing = false

/**
 * Whether the person is writing, as far as they know: from the moment a text field has the focus until they leave it by
 * an act of their own (Tab, Escape, a press, sending). A field that goes away under somebody's hands, because its ask
 * was settled elsewhere, leaves this true: the letters that still come are words, wherever the focus is by then.
 */
export function isTyping(): boolean {
  return typing
}

/**
 * Whether a key on the document can be a command of the page: nobody types, no dialog is open, nothing else has taken it,
 * and it is not held down.
 */
export function isFreeKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return false
  if (document.querySelector('dialog[open]') || isTyping()) return false
  return !isTextField(event.target)
}

/** Follows the person's typing. Once per page, and before the first card that takes single letters. */
export function watchTyping(): () => void {
  const over = new AbortController()
  const listening = { capture: true, passive: true, signal: over.signal }
  const end = () => {
    typing = false
  }
  window.addEventListener('keydown', onKeyDown, listening)
  window.addEventListener('focusin', onFocusIn, listening)
  for (const type of ['pointerdown', 'click', 'submit'] as const) window.addEventListener(type, end, listening)
  return () => {
    over.abort()
    end()
  }
}

function onKeyDown(event: KeyboardEvent) {
  const { key, target } = event
  const isSending = key === 'Enter' && (event.ctrlKey || event.metaKey)
  // An input method has its own Escape, which ends no typing.
  if (key === 'Tab' || isSending || (key === 'Escape' && !event.isComposing)) typing = false
  else if (isTextField(target)) typing = true
}

function onFocusIn({ target }: FocusEvent) {
  if (isTextField(target)) typing = true
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null
}
