import type { NewItem } from '@holdpoint/core/driver'
import { createLineReader } from '../transcript/line-reader.ts'
import { entryItems } from '../transcript/transcript-items.ts'
import { isLastWord } from '../transcript/turn-end.ts'
import { type CallFact, lineFacts } from './transcript-facts.ts'

export interface FollowOptions {
  readonly path: string
  /** Where our part begins. What stands before it is looked at for calls that are under way, and gives nothing else. */
  readonly from: number
  /** The call that sent the subagent out whose transcript it is. */
  readonly subagent?: string
  readonly nameOf: (toolUseId: string) => string | undefined
  readonly onFact: (fact: CallFact, options: { isOld: boolean }) => Promise<void> | void
  /** New items, and how far in the file they reach. What rejects is offered again. */
  readonly onItems: (items: readonly NewItem[], offset: number) => Promise<void>
}

/** A call that waits now was made not long ago. */
const LOOK_BACK = 1024 * 1024
const MAX_UNSENT = 2000

/** Follows one transcript. Reads when it is told to. */
export function createTranscriptFollower(options: FollowOptions) {
  const { from } = options
  const source = options.subagent === undefined ? {} : { subagent: options.subagent }
  const reader = createLineReader({ path: options.path, from: Math.max(0, from - LOOK_BACK) })
  let facts: { fact: CallFact; isOld: boolean }[] = []
  let unsent: NewItem[] = []
  let isRewritten = false
  let isAtRest = true

  async function hand() {
    const [now, items] = [facts, unsent]
    facts = []
    for (const { fact, isOld } of now) await options.onFact(fact, { isOld })
    if (items.length === 0) return
    await options.onItems(items, reader.offset)
    unsent = unsent.slice(items.length)
  }

  return {
    /** The agent has said its last word, as far as it was read. */
    isAtRest: () => isAtRest,
    async read(signal: AbortSignal): Promise<void> {
      const take = ({ bytes, offset }: { bytes: Buffer; offset: number }) => {
        const isOld = offset < from && !isRewritten
        const { entry, facts: found } = lineFacts(bytes, options.nameOf)
        facts.push(...found.map((fact) => ({ fact, isOld })))
        isAtRest = (entry && isLastWord(entry)) ?? isAtRest
        if (entry && !isOld) unsent.push(...entryItems(entry, source))
        // Nothing is lost for good: the thread of the transcript itself can be read at any time.
        if (unsent.length > MAX_UNSENT) unsent = unsent.slice(-MAX_UNSENT)
      }
      const onRestart = () => {
        isRewritten = true
      }
      await reader.read(take, { signal, onRestart, onChunk: hand })
      await hand()
    },
  }
}
export type TranscriptFollower = ReturnType<typeof createTranscriptFollower>
