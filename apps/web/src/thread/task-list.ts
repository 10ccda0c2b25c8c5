import type { Item } from '@holdpoint/schema/item'
import type { ToolCallItem } from './input-text.ts'

type ToolResultItem = Extract<Item, { type: 'tool-result' }>

/** One thing that the agent plans to do. */
export interface Task {
  readonly number?: string
  readonly text?: string
  readonly state: 'open' | 'doing' | 'done'
}

interface Change extends Omit<Task, 'state'> {
  readonly state?: Task['state'] | 'gone'
}

/** A longer one nobody reads. */
const MOST = 200

/** What an agent plans to do, call by call: some calls say the whole list, others one task of it. */
export function createTaskList() {
  let tasks: readonly Task[] = []

  return {
    /** The list as it is after this call. Undefined where the call says nothing of it, or its driver cannot read it. */
    after(call: ToolCallItem, result: ToolResultItem | undefined): readonly Task[] | undefined {
      const fields = call.display?.tasks
      if (!fields || result?.isError) return undefined
      if (fields.list !== undefined) {
        const list = field(call.input, fields.list)
        if (!Array.isArray(list) || list.length > MOST) return undefined
        tasks = list.map((entry) => asTask(changeIn(entry, fields)))
        return tasks
      }
      const number = fields.made === undefined ? undefined : numberAfter(result?.text ?? '', fields.made)
      const change = { ...(number !== undefined && { number }), ...changeIn(call.input, fields) }
      const isKnown = change.number !== undefined && tasks.some((task) => task.number === change.number)
      tasks = isKnown
        ? tasks.flatMap((task) => (task.number === change.number ? changed(task, change) : [task]))
        : [...tasks, ...(change.state === 'gone' ? [] : [asTask(change)])].slice(-MOST)
      return tasks
    },
  }
}

function changed(task: Task, { state, ...change }: Change): readonly Task[] {
  if (state === 'gone') return []
  return [{ ...task, ...change, ...(state !== undefined && { state }) }]
}

function asTask({ state, ...task }: Change): Task {
  return { ...task, state: state === undefined || state === 'gone' ? 'open' : state }
}

type Fields = NonNullable<NonNullable<ToolCallItem['display']>['tasks']>

function changeIn(entry: unknown, fields: Fields): Change {
  const text = words(field(entry, fields.text))
  const number = fields.number === undefined ? undefined : words(field(entry, fields.number))
  const state = words(field(entry, fields.state))
  return {
    ...(text !== undefined && { text }),
    ...(number !== undefined && { number }),
    ...(state !== undefined && { state: stateOf(state, fields) }),
  }
}

function stateOf(state: string, { doing, done, gone }: Fields): NonNullable<Change['state']> {
  if (state === gone) return 'gone'
  if (state === done) return 'done'
  return state === doing ? 'doing' : 'open'
}

function numberAfter(text: string, words: string): string | undefined {
  const from = text.indexOf(words)
  return from < 0 ? undefined : /^\d+/.exec(text.slice(from + words.length))?.[0]
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function words(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
