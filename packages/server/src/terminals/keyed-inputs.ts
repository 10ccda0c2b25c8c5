import type { Records } from '@holdpoint/core/store'
import { createTurns } from '@holdpoint/core/turns'
import type { Answer } from '@holdpoint/schema/answer'
import type { AskId } from '@holdpoint/schema/id'

/** By idempotency key: what a call under it has done. */
const DONE = 'pty-inputs'

/** On record under an idempotency key. Without an answer it was typed. */
interface DoneInput {
  /** A hash: what is typed may be a secret. */
  readonly body: string
  readonly answered?: { readonly askId: AskId; readonly answer: Answer }
}

/** What was typed or answered under idempotency keys. */
export function createKeyedInputs(records: Records) {
  return {
    /** Calls under one key run one after the other: the second finds what the first has done. */
    inTurn: createTurns<string>(),
    done: async (key: string) => (await records.get(DONE, key)) as DoneInput | undefined,
    note: (key: string, done: DoneInput) => records.put(DONE, key, done),
    forget: (key: string) => records.remove(DONE, key),
  }
}
export type KeyedInputs = ReturnType<typeof createKeyedInputs>
