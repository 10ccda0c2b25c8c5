import { z } from 'zod'

/** The part of a card that shows a field of the input. */
export const CardPart = z.enum(['command', 'path', 'url', 'query', 'agent-says', 'diff', 'plan', 'plan-file'])
export type CardPart = z.infer<typeof CardPart>

/** What sort of call it is. `tool` is one that the driver knows nothing of; `own` is another tool of the agent itself. */
export const DisplayIcon = z.enum([
  ...['terminal', 'edit', 'write', 'read', 'web', 'search', 'plan', 'tool'],
  ...['find', 'tasks', 'agent', 'own'],
] as const)
export type DisplayIcon = z.infer<typeof DisplayIcon>

const FieldName = z.string().max(64)

/** Where the input says what the agent plans to do: the names of its fields, and which states mean what. */
const TaskFields = z.strictObject({
  /** The field with the whole list. Left out: the input itself is one task. */
  list: FieldName.optional(),
  text: FieldName,
  /** Of a task that was named before: its number. */
  number: FieldName.optional(),
  state: FieldName,
  doing: FieldName,
  done: FieldName,
  /** The state of one that is taken off the list. */
  gone: FieldName.optional(),
  /** What stands before the number in the result of a call that adds a task. */
  made: FieldName.optional(),
})

/**
 * What a driver knows of a tool, for a card: nothing of it is the agent's text. It decides nothing: it is in no digest, and
 * no remembered answer is compared with it. Left out by other raisers and in older records: then a card shows the facts
 * and the whole input.
 */
export const Display = z.strictObject({
  /** What the call does, in a few words: `Edit file`. */
  verb: z.string().min(1).max(64),
  icon: DisplayIcon,
  /** The field of the input that says the most about the call. */
  subject: z.string().max(64).optional(),
  /** Fields of the input by name. A field that is not in here is shown with the rest of the input. */
  shownIn: z.record(z.string(), CardPart).optional(),
  /** For threads, which draw a list of it. Cards show the input. */
  tasks: TaskFields.optional(),
})
export type Display = z.infer<typeof Display>
