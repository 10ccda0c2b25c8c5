import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEntry, type TranscriptEntry } from '@holdpoint/agents/claude/transcript/entry'
import { createLineReader } from '@holdpoint/agents/claude/transcript/line-reader'
import { GRACE_MS } from '@holdpoint/agents/claude/transcript/open-calls'
import { readThread } from '@holdpoint/agents/claude/transcript/read-thread'
import { scanCalls } from '@holdpoint/agents/claude/transcript/scan-calls'
import { type CallTracker, trackCalls } from '@holdpoint/agents/claude/transcript/track-calls'
import { entryItems } from '@holdpoint/agents/claude/transcript/transcript-items'
import type { NewItem } from '@holdpoint/core/driver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LONG } from '../../long.ts'
import { type RecordedTranscript, recordedTranscripts } from './recorded.ts'
import { createStillClock } from './still-clock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-recorded-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Written {
  readonly line: string
  readonly at: number
  readonly agentId?: string
}

/** The lines of a session and its subagents as they were written; a line without a time goes with the one before it. */
function inOrder({ session, agents }: RecordedTranscript): Written[] {
  const timed = (text: string, agentId?: string): Written[] => {
    let at = 0
    return text
      .trimEnd()
      .split('\n')
      .map((line) => {
        at = Math.max(at, readEntry(line)?.at ?? 0)
        return { line, at, ...(agentId !== undefined && { agentId }) }
      })
  }
  const all = [timed(session), ...agents.map(({ text, agentId }) => timed(text, agentId))]
  return all.flat().sort((a, b) => a.at - b.at)
}

interface Told {
  readonly waiting: string[]
  readonly ended: string[]
  readonly items: NewItem[]
}

function listener(recorded: RecordedTranscript) {
  const time = createStillClock()
  const told: Told = { waiting: [], ended: [], items: [] }
  const tracker: CallTracker = trackCalls({
    clock: time.clock,
    onWaiting: (call) => told.waiting.push(call.toolUseId),
    onNotWaiting: (call) => told.ended.push(`${call.toolUseId} runs`),
    onEnded: ({ call, end }, wasWaiting) => told.ended.push(`${call.toolUseId} ${JSON.stringify(end)} ${wasWaiting}`),
  })
  const callOf = new Map(
    recorded.agents.map(({ agentId, meta }) => [agentId, (JSON.parse(meta) as { toolUseId: string }).toolUseId]),
  )
  return {
    told,
    take(entries: readonly TranscriptEntry[], { at, agentId }: Omit<Written, 'line'>) {
      time.moveTo(at)
      const subagent = agentId === undefined ? undefined : callOf.get(agentId)
      if (subagent !== undefined) tracker.running(subagent)
      tracker.take(entries)
      const source = subagent === undefined ? {} : { subagent }
      told.items.push(...entries.flatMap((entry) => entryItems(entry, source)))
    },
    end() {
      // A call that is open at the end of the recording stays open.
      time.moveTo(Number.MAX_SAFE_INTEGER)
      tracker.close()
      return told
    },
  }
}

function whole(recorded: RecordedTranscript): Told {
  const listening = listener(recorded)
  for (const written of inOrder(recorded)) {
    const entry = readEntry(written.line)
    listening.take(entry ? [entry] : [], written)
  }
  return listening.end()
}

/**
 * What both tell of. Only the transcript has a person's words, a subagent's words (the live session has its calls), and
 * what became of a call whose process was killed, which the next process writes. The recordings are older than `display`,
 * which both take from one table.
 */
const said = (items: readonly NewItem[]) =>
  items
    .filter((item) => {
      if (item.type === 'message') return item.role === 'assistant' && item.subagent === undefined
      if (item.type === 'tool-result') return !item.text.startsWith('[Tool call interrupted: the session ended')
      return item.type !== 'notice'
    })
    .map((item) => (item.type === 'tool-call' ? { ...item, display: undefined } : item))

/** Threads run beside each other; each is in order by itself. */
function byThread(items: readonly NewItem[]): Map<string, NewItem[]> {
  const threads = new Map<string, NewItem[]>()
  for (const item of items) threads.set(item.subagent ?? '', [...(threads.get(item.subagent ?? '') ?? []), item])
  return new Map([...threads].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const recordings = recordedTranscripts()

it('there are at least twenty recordings', () => {
  expect(recordings.length).toBeGreaterThanOrEqual(20)
})

describe.each(recordings)('$name', (recorded) => {
  it('gives the asks that the live session raised, as soon as each has been open for the grace', () => {
    const held = recorded.live.asks.filter(({ heldMs }) => heldMs >= GRACE_MS).map(({ toolUseId }) => toolUseId)
    expect(whole(recorded).waiting.toSorted()).toEqual(held.toSorted())
  })

  it('gives the same read line by line, and in pieces of lines, from files that grow', async () => {
    const expected = whole(recorded)
    const listening = listener(recorded)
    const readers = new Map<string, ReturnType<typeof createLineReader>>()
    await mkdir(join(folder, 'agents'))
    for (const written of inOrder(recorded)) {
      const path = join(folder, written.agentId === undefined ? 'session.jsonl' : `agents/${written.agentId}.jsonl`)
      const reader = readers.get(path) ?? createLineReader({ path })
      readers.set(path, reader)
      const bytes = Buffer.from(`${written.line}\n`)
      const cut = written.line.length % bytes.length
      const early: TranscriptEntry[] = []
      const entries: TranscriptEntry[] = []
      await appendFile(path, bytes.subarray(0, cut))
      await reader.read(({ bytes: line }) => early.push(readEntry(line) as TranscriptEntry))
      await appendFile(path, bytes.subarray(cut))
      await reader.read(({ bytes: line }) => entries.push(readEntry(line) as TranscriptEntry))
      expect(early).toEqual([])
      expect(entries).toHaveLength(1)
      listening.take(entries, written)
    }
    expect(listening.end()).toEqual(expected)
  })

  // Everything before it is read again each time: every third line, and the last, unless there is time for all.
  it('opened after any line, it has the thread and the open calls up to there', async () => {
    const path = join(folder, 'session.jsonl')
    await writeFile(path, '')
    const listening = listener({ ...recorded, agents: [] })
    const lines = inOrder({ ...recorded, agents: [] })
    for (const [place, written] of lines.entries()) {
      await appendFile(path, `${written.line}\n`)
      const entry = readEntry(written.line)
      listening.take(entry ? [entry] : [], written)
      if (!LONG && place % 3 !== 0 && place !== lines.length - 1) continue
      const page = await readThread(path, { limit: 1000 })
      expect(page?.items.map(({ id: _, at: __, ...item }) => item)).toEqual(listening.told.items)
      const calls = await scanCalls(path)
      const ended = new Set(listening.told.ended.map((line) => line.split(' ')[0]))
      const opened = listening.told.items.flatMap((item) => (item.type === 'tool-call' ? [item.toolUseId] : []))
      expect([...calls.open.keys()]).toEqual(opened.filter((id) => !ended.has(id)))
    }
  })
})

describe.each(recordings.filter(({ live }) => live.items))('$name', (recorded) => {
  it('gives the items that the live session gave', () => {
    expect(byThread(said(whole(recorded).items))).toEqual(byThread(said(recorded.live.items ?? [])))
  })
})

describe('what became of a call, as the terminal left it', () => {
  const endOf = (wanted: string) => {
    const recorded = recordings.find(({ name }) => name === wanted)
    const [first = ''] = recorded ? whole(recorded).ended : []
    return JSON.parse(first.slice(first.indexOf('{'), first.lastIndexOf('}') + 1)) as unknown
  }

  it.each([
    ['terminal-allowed', { kind: 'ran', isError: false, allowedBy: 'person', grantScope: 'once' }],
    ['terminal-denied', { kind: 'denied' }],
    ['terminal-denied-with-words', { kind: 'denied', message: 'use b instead' }],
    ['terminal-question', { kind: 'ran', isError: false, allowedBy: 'person', grantScope: 'once' }],
    ['bash-denied', { kind: 'denied', message: 'Not that one, please.' }],
    ['bash-denied-and-stopped', { kind: 'denied' }],
    ['bash-unasked', { kind: 'ran', isError: false, allowedBy: 'settings' }],
    ['bash-failed', { kind: 'ran', isError: true, allowedBy: 'person', grantScope: 'once' }],
    ['interrupted-while-waiting', { kind: 'denied' }],
    ['killed-and-resumed', { kind: 'interrupted' }],
  ])('%s', (name, end) => {
    expect(endOf(name)).toEqual(end)
  })
})
