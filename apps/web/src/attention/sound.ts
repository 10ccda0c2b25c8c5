let context: AudioContext | undefined

/**
 * Two short soft notes. A browser lets no page sound before somebody has pressed something in it: until then this stays
 * silent.
 */
export function playTone(volume: number): void {
  context ??= new AudioContext()
  if (context.state === 'suspended') void context.resume()
  const start = context.currentTime + 0.02
  for (const [index, frequency] of [587.33, 880].entries()) {
    const oscillator = context.createOscillator()
    const gain = context.createGain()
    const from = start + index * 0.13
    oscillator.frequency.value = frequency
    gain.gain.setValueAtTime(0, from)
    gain.gain.linearRampToValueAtTime(0.25 * volume, from + 0.015)
    gain.gain.exponentialRampToValueAtTime(0.0001, from + 0.35)
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(from)
    oscillator.stop(from + 0.4)
  }
}
