import type { Ask } from '@holdpoint/schema/ask'
import type { Item } from '@holdpoint/schema/item'
import { describe, expect, it } from 'vitest'
import { inputSummary } from './input-summary.ts'
import { partialRows, threadRows } from './thread-rows.ts'

let ids = 0
const item = (fields: Record<string, unknown>) => ({ id: `itm_${++ids}`, at: ids, ...fields }) as unknown as Item
const call = (toolUseId: string, more: object = {}) =>
  item({ type: 'tool-call', toolUseId, name: 'Bash', input: { command: 'ls' }, ...more })
const SENDS = { verb: 'Use tool', icon: 'tool', shownIn: { description: 'agent-says' } }
const result = (toolUseId: string, more: object = {}) =>
  item({ type: 'tool-result', toolUseId, text: 'ok', isError: false, ...more })
const askOf = (id: string, more: object = {}) => ({ id, kind: 'approval', ...more }) as unknown as Ask
const rowsOf = (items: Item[], asks: Ask[] = [], expanded: string[] = []) =>
  threadRows({ items, asks: new Map(asks.map((ask) => [ask.id, ask])) }, (key) => expanded.includes(key))

describe('rows of a thread', () => {
  it('makes one row of a call, its result and its ask', () => {
    const ask = askOf('ask_1', { toolUseId: 't1' })
    const rows = rowsOf([call('t1'), item({ type: 'ask', askId: 'ask_1' }), result('t1')], [ask])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ kind: 'tool', asks: [ask], result: { text: 'ok' } })
  })

  it('drops nothing: a result without its call and an ask without a call stand alone', () => {
    const rows = rowsOf([result('gone'), item({ type: 'ask', askId: 'ask_2' })], [askOf('ask_2')])
    expect(rows.map(({ kind }) => kind)).toEqual(['result', 'ask'])
  })

  it('draws the asks that were asked again between the call and its newest ask', () => {
    const asks = [1, 2, 3].map((number) => askOf(`ask_${number}`, { toolUseId: 't1' }))
    const items = [call('t1'), ...asks.map(({ id }) => item({ type: 'ask', askId: id }))]
    expect(rowsOf(items, asks)).toMatchObject([
      { kind: 'tool', asks: [{ id: 'ask_1' }, { id: 'ask_2' }, { id: 'ask_3' }] },
    ])
  })

  it('T27 gives a call’s row the agent’s ask, and a program that names the call a row of its own', () => {
    const agents = askOf('ask_1', { toolUseId: 't1', outcome: { kind: 'denied' } })
    const programs = askOf('ask_2', { toolUseId: 't1', raisedBy: 'dev_ci', outcome: { kind: 'allowed' } })
    const shown = [agents, programs].map(({ id }) => item({ type: 'ask', askId: id }))
    for (const items of [shown, [...shown].reverse()]) {
      const rows = rowsOf([call('t1'), ...items], [agents, programs])
      expect(rows.map(({ kind }) => kind)).toEqual(['tool', 'ask'])
      expect(rows).toMatchObject([{ asks: [agents] }, { ask: programs }])
    }
  })

  it('shows neither what waits in the queue nor what was taken back', () => {
    const message = (status: string) => item({ type: 'message', role: 'user', text: 'hi', status })
    expect(rowsOf([message('queued'), message('cancelled'), message('sent')])).toHaveLength(1)
  })

  it('puts what subagents did under the call that sent them out, each once, folded, whatever the order in time', () => {
    const items = [
      call('t1', { name: 'Agent', input: { prompt: 'Go', description: 'First helper' }, display: SENDS }),
      call('t2', { name: 'Agent', input: { description: 'Second helper' } }),
      call('s2', { subagent: 't2' }),
      call('s1', { subagent: 't1' }),
      result('s2', { subagent: 't2' }),
    ]
    const folded = rowsOf(items)
    expect(folded).toMatchObject([
      { kind: 'tool', crew: { steps: 1, waits: false } },
      { kind: 'tool', crew: { steps: 1 } },
    ])
    const open = rowsOf(items, [], [folded[1]?.key ?? ''])
    expect(open.map(({ kind, depth }) => [kind, depth])).toEqual([
      ['tool', 0],
      ['tool', 0],
      ['tool', 1],
    ])
  })

  it('says whether the result of a subagent’s call is what it said last', () => {
    const says = (text: string) => item({ type: 'message', role: 'assistant', text, subagent: 't1' })
    const rowWith = (text: string) => rowsOf([call('t1'), says('All is well.'), result('t1', { text })])[0]
    expect(rowWith('All is well.\nagentId: x')).toMatchObject({ crew: { endsWithResult: true } })
    expect(rowWith('Started.')).toMatchObject({ crew: { endsWithResult: false } })
  })

  it('puts what a subagent of a subagent did under its call, and says through both that it waits', () => {
    const items = [
      call('t1', { name: 'Agent', input: { description: 'Outer' } }),
      call('t2', { name: 'Agent', input: { description: 'Inner' }, subagent: 't1' }),
      call('s1', { subagent: 't2' }),
      item({ type: 'ask', askId: 'ask_1', subagent: 't2' }),
    ]
    const asks = [askOf('ask_1')]
    expect(rowsOf(items, asks)).toMatchObject([{ kind: 'tool', crew: { steps: 1, waits: true } }])
    const open = rowsOf(items, asks, [items[0]?.id ?? '', items[1]?.id ?? ''])
    expect(open.map(({ kind, depth }) => [kind, depth])).toEqual([
      ['tool', 0],
      ['tool', 1],
      ['tool', 1],
      ['ask', 1],
    ])
    expect(open[1]).toMatchObject({ crew: { steps: 2, waits: true } })
  })

  it('gives a subagent whose call is not loaded a row of its own, which says that it waits', () => {
    const items = [item({ type: 'ask', askId: 'ask_1', subagent: 'a1' }), call('s1', { subagent: 'a1' })]
    expect(rowsOf(items, [askOf('ask_1')])).toMatchObject([{ kind: 'subagent', name: 'Subagent 1', waits: true }])
  })

  it('shows the list of tasks as it is after each call, the newest open', () => {
    const tasks = { list: 'todos', text: 'content', state: 'status', doing: 'in_progress', done: 'completed' }
    const plans = (...states: string[]) => {
      const todos = states.map((status, place) => ({ content: `Task ${place}`, status }))
      return call(`t${++ids}`, { input: { todos }, display: { verb: 'To do', icon: 'tasks', tasks } })
    }
    const rows = rowsOf([plans('pending', 'odd'), plans('completed', 'in_progress'), plans()])
    expect(rows).toMatchObject([
      { kind: 'tasks', isNewest: false, tasks: [{ text: 'Task 0', state: 'open' }, { state: 'open' }] },
      { kind: 'tasks', isNewest: true, tasks: [{ state: 'done' }, { state: 'doing' }] },
      { kind: 'tool' },
    ])
  })

  it('gives every row a key of its own', () => {
    const items = [call('t1'), call('s1', { subagent: 'x' }), call('s2', { subagent: 'y' })]
    const keys = [
      ...rowsOf(items),
      ...partialRows(
        new Map([
          ['', 'Hello'],
          ['x', 'Hi'],
          ['y', ''],
        ]),
      ),
    ].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toHaveLength(5)
  })
})

describe('the summary of an input', () => {
  const display = (subject: string) => ({ verb: 'Use', icon: 'tool', subject }) as const
  it('takes the most telling field, its lines without indentation', () => {
    const input = { description: 'why', command: 'ls\n  -la' }
    expect(inputSummary({ input, display: display('command') }, '/work')).toBe('ls\n-la')
  })
  it('tells a path as seen from the folder', () => {
    const seen = (path: string, folder: string) =>
      inputSummary({ input: { file_path: path }, display: display('file_path') }, folder)
    expect(seen('/project/src/a.ts', '/project')).toBe('src/a.ts')
    expect(seen('/workshop/a.ts', '/work')).toBe('/workshop/a.ts')
  })
  it('finds the first text of anything else, and of a call that was recorded without its display', () => {
    expect(inputSummary({ input: { questions: [{ question: 'Which?' }] } }, '/')).toBe('Which?')
    expect(inputSummary({ input: { command: '', other: 'x' }, display: display('command') }, '/')).toBe('x')
    expect(inputSummary({ input: { count: 3 } }, '/')).toBe('')
    expect(inputSummary({ input: undefined }, '/')).toBe('')
  })
})
