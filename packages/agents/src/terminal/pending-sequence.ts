/** The longest beginning of a sequence that is waited for; a string that goes on for longer has no end in sight. */
const MAX_PENDING = 4096

/**
 * Whether output stops in the middle of a control sequence. A screen that is taken there would be followed by the
 * sequence's second half, which reads as text.
 */
export function endsInSequence(tail: string): boolean {
  const start = tail.lastIndexOf('\x1b')
  if (start < 0 || tail.length - start > MAX_PENDING) return false
  const rest = tail.slice(start + 1)
  if (rest === '') return true
  if (rest[0] === '[') return !/^\[[\x20-\x3f]*[\x40-\x7e]/.test(rest)
  // OSC, DCS, SOS, PM and APC go on until a bell or a string terminator, whose own ESC would have been found above.
  if (/^[\]PX^_]/.test(rest)) return !rest.includes('\x07')
  return !/^[\x20-\x2f]*[\x30-\x7e]/.test(rest)
}
