import { expect, it } from 'vitest'
import { type Key, keyBytes, pasteBytes, textBytes } from './key-bytes.ts'

const PLAIN = { applicationCursorKeys: false, bracketedPaste: false }
const bytes = (key: string, held: Partial<Key> = {}, modes = PLAIN) => keyBytes({ key, ...held }, modes)

it('sends for keys what terminals send', () => {
  expect(bytes('Enter')).toBe('\r')
  expect(bytes('Escape')).toBe('\x1b')
  expect(bytes('Backspace')).toBe('\x7f')
  expect(bytes('Backspace', { altKey: true })).toBe('\x1b\x7f')
  expect(bytes('Tab')).toBe('\t')
  expect(bytes('Tab', { shiftKey: true })).toBe('\x1b[Z')
  expect(['ArrowUp', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'Home', 'End'].map((key) => bytes(key))).toEqual([
    '\x1b[A',
    '\x1b[B',
    '\x1b[C',
    '\x1b[D',
    '\x1b[H',
    '\x1b[F',
  ])
  expect(bytes('ArrowUp', {}, { ...PLAIN, applicationCursorKeys: true })).toBe('\x1bOA')
  expect(bytes('ArrowLeft', { ctrlKey: true }, { ...PLAIN, applicationCursorKeys: true })).toBe('\x1b[1;5D')
  expect(bytes('Delete')).toBe('\x1b[3~')
  expect(bytes('PageUp')).toBe('\x1b[5~')
  expect(bytes('F1')).toBe('\x1bOP')
  expect(bytes('F5')).toBe('\x1b[15~')
  expect(bytes('F12', { shiftKey: true })).toBe('\x1b[24;2~')
})

it('sends control codes and Alt combinations', () => {
  expect(bytes('c', { ctrlKey: true })).toBe('\x03')
  expect(bytes('[', { ctrlKey: true })).toBe('\x1b')
  expect(bytes(' ', { ctrlKey: true })).toBe('\0')
  expect(bytes('_', { ctrlKey: true, shiftKey: true })).toBe('\x1f')
  expect(bytes('b', { altKey: true })).toBe('\x1bb')
  expect(bytes('∫', { altKey: true })).toBeUndefined()
})

it('leaves text to the field, and to the browser what is its own', () => {
  for (const key of ['a', 'É', '你', '5', 'Shift', 'Dead', 'Unidentified', 'Process', 'constructor']) {
    expect(bytes(key), key).toBeUndefined()
  }
  expect(bytes('@', { ctrlKey: true, altKey: true })).toBeUndefined()
  expect(bytes('v', { ctrlKey: true })).toBeUndefined()
  expect(bytes('T', { ctrlKey: true, shiftKey: true })).toBeUndefined()
  expect(bytes('c', { metaKey: true })).toBeUndefined()
  expect(bytes('1', { ctrlKey: true })).toBeUndefined()
  expect(bytes('PageUp', { shiftKey: true })).toBeUndefined()
})

it('ends lines as the Enter key does', () => {
  expect(textBytes('a\nb\r\nc\td')).toBe('a\rb\rc\td')
})

it('types no control code out of any text, and lets none end the bracket', () => {
  for (let codePoint = 0; codePoint < 0x300; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    const isText = codePoint === 9 || (codePoint >= 0x20 && codePoint < 0x7f) || codePoint > 0x9f
    const isLineEnd = character === '\n' || character === '\r'
    expect(textBytes(character), `U+${codePoint.toString(16)}`).toBe(isLineEnd ? '\r' : isText ? character : '')
  }
  const bracketed = { ...PLAIN, bracketedPaste: true }
  expect(pasteBytes('a\x1b[201~b\x9b201~', bracketed)).toBe('\x1b[200~a[201~b201~\x1b[201~')
  expect(pasteBytes('a\nb', PLAIN)).toBe('a\rb')
})
