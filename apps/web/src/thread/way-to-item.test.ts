import type { Ask } from '@holdpoint/schema/ask'
import type { ItemId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import { expect, it } from 'vitest'
import { threadRows } from './thread-rows.ts'
import { wayToItem } from './way-to-item.ts'

let ids = 0
const item = (fields: object) => ({ id: `itm_${++ids}`, at: ids, ...fields }) as unknown as Item
const call = (toolUseId: string, more: object = {}) =>
  item({ type: 'tool-call', toolUseId, name: 'Bash', input: {}, ...more })
const result = (toolUseId: string, more: object = {}) =>
  item({ type: 'tool-result', toolUseId, text: 'ok', isError: false, ...more })

const asked = { id: 'ask_1', toolUseId: 's1' } as unknown as Ask
const items = [
  ...['a', 'b', 'c'].flatMap((id) => [call(id), result(id)]),
  call('outer'),
  call('inner', { subagent: 'outer' }),
  call('s1', { subagent: 'inner' }),
  item({ type: 'ask', askId: 'ask_1', subagent: 'inner' }),
  item({ type: 'message', role: 'assistant', text: 'Lost', subagent: 'nobody' }),
  item({ type: 'tool-result', toolUseId: 'gone', text: '', isError: false }),
  item({ type: 'message', role: 'assistant', text: 'End' }),
]
const thread = { items, asks: new Map([[asked.id, asked]]) }

it.each(items.map(({ id, type }) => [type, id as ItemId] as const))(
  'leads to a %s (%s), wherever it is folded',
  (_, id) => {
    const way = wayToItem(thread, id)
    const rows = threadRows(thread, (key) => way?.open.includes(key) === true)
    expect(rows.map(({ key }) => key)).toContain(way?.row)
  },
)

it('leads nowhere for an item that is not there', () => {
  expect(wayToItem(thread, 'itm_none' as ItemId)).toBeUndefined()
})

it('ends where a subagent is said to have sent itself out', () => {
  const odd = call('self', { subagent: 'self' })
  expect(wayToItem({ items: [odd], asks: new Map() }, odd.id)?.row).toBe(odd.id)
})
