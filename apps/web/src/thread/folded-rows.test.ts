import type { Ask } from '@holdpoint/schema/ask'
import type { DisplayIcon } from '@holdpoint/schema/display'
import { describe, expect, it } from 'vitest'
import { foldedRows } from './folded-rows.ts'
import type { PlainRow } from './thread-rows.ts'

let keys = 0
const row = (fields: object) => ({ key: `k${++keys}`, depth: 0, ...fields }) as unknown as PlainRow
const call = (icon: DisplayIcon, input: object = {}, more: object = {}) =>
  row({
    kind: 'tool',
    call: { input, display: { verb: '', icon, subject: 'file_path' } },
    asks: [],
    result: { isError: false },
    ...more,
  })
const asked = (kind?: 'allowed' | 'denied') => [{ ...(kind && { outcome: { kind } }) } as unknown as Ask]
const message = () => row({ kind: 'message' })
const fold = (rows: readonly PlainRow[], expanded: readonly string[] = []) =>
  foldedRows(rows, (key) => expanded.includes(key))

describe('calls in a row', () => {
  it('are one line that says what they were, a file that comes twice once', () => {
    const files = ['a', 'b', 'a'].map((path) => call('read', { file_path: path }))
    const rows = [message(), ...files, row({ kind: 'thinking' }), call('terminal'), call('find'), message()]
    const folded = fold(rows)
    expect(folded.map(({ kind }) => kind)).toEqual(['message', 'folded', 'message'])
    expect(folded[1]).toMatchObject({ words: 'Read 2 files, ran 1 command, searched files once', isOpen: false })
  })

  it('stay as they are where they are few', () => {
    const rows = [call('read'), call('read'), message(), call('read')]
    expect(fold(rows)).toEqual(rows)
  })

  it('stay in sight where one waits, runs, failed, was denied or sent out a subagent', () => {
    const seen = [
      call('read', {}, { asks: asked() }),
      call('read', {}, { result: undefined }),
      call('read', {}, { result: { isError: true } }),
      call('read', {}, { asks: asked('denied') }),
      call('read', {}, { crew: { steps: 1, waits: false } }),
      call('plan'),
      row({ kind: 'ask' }),
      row({ kind: 'notice', item: { level: 'error' } }),
      row({ kind: 'tasks', isNewest: true }),
    ]
    const rows = seen.flatMap((shown) => [call('read'), call('read'), shown])
    expect(fold(rows)).toEqual(rows)
    const apart = seen.flatMap((shown) => [call('read'), call('read'), call('read'), shown])
    expect(fold(apart).filter(({ kind }) => kind !== 'folded')).toEqual(seen)
  })

  it('say how many of them people or rules were asked about', () => {
    const rows = [call('terminal', {}, { asks: asked('allowed') }), call('edit'), call('web')]
    expect(fold(rows)).toMatchObject([{ words: 'Ran 1 command, edited 1 file, fetched 1 page', allowed: 1 }])
  })

  it('are shown where their line, or one of them, is opened', () => {
    const rows = [call('read'), call('read'), call('read')]
    const key = fold(rows)[0]?.key ?? ''
    for (const opened of [key, rows[1]?.key ?? '']) {
      const open = fold(rows, [opened])
      expect(open.map((each) => each.key)).toEqual([key, ...rows.map((each) => each.key)])
      expect(open[0]).toMatchObject({ isOpen: true, inside: rows.map((each) => each.key) })
    }
  })

  it('of a subagent are not put together with those around it', () => {
    const rows = [call('read'), call('read'), { ...call('read'), depth: 1 as const }]
    expect(fold(rows)).toEqual(rows)
  })
})
