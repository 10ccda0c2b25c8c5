import { Keyboard } from 'lucide-react'
import { type KeyModes, keyBytes } from './key-bytes.ts'

type ScreenKey = readonly [label: string, name: string, key: string, held?: 'shift' | 'control']

/** Arrows as they lie under the fingers. */
const KEYS: readonly ScreenKey[] = [
  ['Esc', 'Escape', 'Escape'],
  ['Tab', 'Tab', 'Tab'],
  ['⇧Tab', 'Shift and Tab', 'Tab', 'shift'],
  ['^C', 'Control and C', 'c', 'control'],
  ['↑', 'Up', 'ArrowUp'],
  ['⌫', 'Backspace', 'Backspace'],
]
const MORE_KEYS: readonly ScreenKey[] = [
  ['1', '1', '1'],
  ['2', '2', '2'],
  ['3', '3', '3'],
  ['←', 'Left', 'ArrowLeft'],
  ['↓', 'Down', 'ArrowDown'],
  ['→', 'Right', 'ArrowRight'],
  ['↵', 'Enter', 'Enter'],
  ...['4', '5', '6', '7', '8', '9', '0'].map((digit) => [digit, digit, digit] as const),
]

export interface KeyRowProps {
  readonly modes: KeyModes
  onBytes(bytes: string): void
  /** Shows or hides the keyboard of the device. */
  onKeyboard(): void
}

/** For fingers: the keys that a phone's keyboard does not have, and those that dialogs are answered with. */
export function KeyRow({ modes, onBytes, onKeyboard }: KeyRowProps) {
  const button = ([label, name, key, held]: ScreenKey) => (
    <button
      key={name}
      type="button"
      aria-label={name}
      // The field keeps the focus, and the device's keyboard stays as it is.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onBytes(keyBytes({ key, shiftKey: held === 'shift', ctrlKey: held === 'control' }, modes) ?? key)}
      className={KEY}
    >
      {label}
    </button>
  )
  return (
    <fieldset
      aria-label="Keys"
      className="grid shrink-0 grid-cols-7 gap-1 border-t border-line bg-panel p-1 pointer-fine:hidden"
    >
      {KEYS.map(button)}
      <button
        type="button"
        aria-label="Keyboard"
        onPointerDown={(event) => event.preventDefault()}
        onClick={onKeyboard}
        className={KEY}
      >
        <Keyboard aria-hidden className="size-5" />
      </button>
      {MORE_KEYS.map(button)}
    </fieldset>
  )
}

const KEY =
  'flex min-h-11 items-center justify-center rounded-lg border border-line bg-card font-mono text-sm select-none active:bg-accent-bg focus-visible:outline-2 focus-visible:outline-accent'
