import { TransportFault, type Wire } from '@holdpoint/client/transport'

/** Longer than the longest wait that is asked for, and than several beats of a stream. */
const SILENCE_MS = 60_000

/** Gives a gateway up of which nothing is heard: its machine may have lost its power. */
export function impatient(wire: Wire): Wire {
  return {
    ...wire,
    async call({ onText, signal, ...wanted }) {
      const silence = new AbortController()
      const timer = setTimeout(() => silence.abort(), SILENCE_MS)
      const heard = (text: string) => {
        timer.refresh()
        onText?.(text)
      }
      try {
        return await wire.call({
          ...wanted,
          ...(onText && { onText: heard }),
          signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
        })
      } catch (error) {
        if (silence.signal.aborted && !signal?.aborted)
          throw new TransportFault('unreachable', 'nothing was heard for a minute')
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
