import type { Clock } from '@holdpoint/core/clock'
import type { AgentEvent } from '@holdpoint/core/driver'
import type { SessionRecord } from './session-record.ts'

/** A dialog of which no hook has spoken by then is asked at the terminal alone. */
const UNASKED_MS = 3000

/** Notes a dialog that nobody was asked about here: a hook gave up, or none ever came. */
export function createUnaskedDialog(options: {
  readonly clock: Clock
  readonly isHolding: () => boolean
  readonly look: () => Promise<void>
  readonly emit: (events: readonly AgentEvent[]) => Promise<void>
}) {
  const { clock } = options
  let mayWait: boolean | undefined
  return async ({ status, statusAt = 0 }: SessionRecord): Promise<void> => {
    const isUnasked = status === 'waiting' && !options.isHolding()
    const left = statusAt + UNASKED_MS - clock.now()
    if (isUnasked && left > 0) {
      clock.after(left, () => void options.look())
      return
    }
    if (mayWait === isUnasked) return
    mayWait = isUnasked
    await options.emit([{ type: 'may-wait', mayWait }])
  }
}
