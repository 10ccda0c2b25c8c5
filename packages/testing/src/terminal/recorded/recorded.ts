import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NewItem } from '@holdpoint/core/driver'

/** What the session was seen to do while it was recorded. */
export interface LiveRecord {
  readonly asks: readonly {
    readonly toolUseId: string
    readonly name: string
    /** How long the answer took. */
    readonly heldMs: number
  }[]
  /** As the agent's own messages gave them; absent for a terminal, which gives none. */
  readonly items?: readonly NewItem[]
}

export interface RecordedTranscript {
  readonly name: string
  readonly session: string
  readonly agents: readonly { readonly agentId: string; readonly text: string; readonly meta: string }[]
  readonly live: LiveRecord
}

const FOLDER = fileURLToPath(new URL('./transcripts', import.meta.url))

/** Transcripts of the real Claude Code; `node packages/testing/src/terminal/recorded/record.mjs` makes them anew. */
export function recordedTranscripts(): RecordedTranscript[] {
  return readdirSync(FOLDER).map((name) => {
    const read = (file: string) => readFileSync(join(FOLDER, name, file), 'utf8')
    const agents = readdirSync(join(FOLDER, name)).filter((file) => /^agent-\w+\.jsonl$/.test(file))
    return {
      name,
      session: read('session.jsonl'),
      agents: agents.map((file) => ({
        agentId: file.slice('agent-'.length, -'.jsonl'.length),
        text: read(file),
        meta: read(file.replace('.jsonl', '.meta.jsonl')),
      })),
      live: JSON.parse(read('live.jsonl')) as LiveRecord,
    }
  })
}
