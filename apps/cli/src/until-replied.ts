import { setTimeout as delay } from 'node:timers/promises'
import { backOffMs } from '@holdpoint/client/back-off'
import { isNobodyThere, isPassing } from './passing-fault.ts'

const AGAIN_MS = 30_000

/** Makes a call that may be repeated, until the gateway says what it did. Not where it was never got: then nothing was done. */
export async function untilReplied<Value>(act: () => Promise<Value>): Promise<Value> {
  const last = performance.now() + AGAIN_MS
  for (let failures = 0; ; failures++) {
    try {
      return await act()
    } catch (error) {
      const isOver = failures === 0 ? isNobodyThere(error) : performance.now() > last
      if (!isPassing(error) || isOver) throw error
      await delay(backOffMs(failures, Math.random))
    }
  }
}
