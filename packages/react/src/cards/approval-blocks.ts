import type { CallFacts } from '@holdpoint/core/call-facts'
import type { Ask } from '@holdpoint/schema/ask'
import { diffSaysEdit } from '../text/diff-says-edit.ts'
import { literal } from '../text/json-rows.ts'
import { stringsIn } from '../text/strings-in.ts'

/** One piece of what an approval would run, in the order it is shown. */
export type Block =
  | { readonly kind: 'command'; readonly key: string; readonly text: string }
  | { readonly kind: 'diff'; readonly key: string; readonly diff: string; readonly filePath: string }
  | { readonly kind: 'url'; readonly key: string; readonly url: string }
  | {
      readonly kind: 'text'
      readonly key: string
      readonly label: string
      readonly text: string
      readonly path?: string
    }
  | { readonly kind: 'tree'; readonly key: string; readonly label: string; readonly value: unknown }
  | { readonly kind: 'facts'; readonly key: string; readonly facts: readonly Fact[] }

/** What there is to show of a call, whether an ask carries it or another protocol's request. */
export interface ShownCall
  extends Pick<Ask, 'kind' | 'tool' | 'context' | 'agentSays' | 'decisionReason' | 'matchedAskRule'>,
    Omit<CallFacts, 'cwd'> {}

export interface Fact {
  readonly name: string
  readonly value: string
}

/** Tools that do nothing with their `description`: it is the agent's remark on the call. */
const REMARKED = new Set(['Bash', 'Task', 'Agent'])
const LONGEST_REMARK = 300
const MOST_LINES_OF_REMARK = 6
const SHORT = 80
const FEW = 12

/**
 * Everything of a tool's input, each field in exactly one block: what has no special place comes last. A field that
 * stayed hidden would be allowed unseen (T26).
 */
export function approvalBlocks(ask: ShownCall): readonly Block[] {
  const { context } = ask
  const rest = new Map(Object.entries(ask.tool?.input ?? {}))
  // One field only: a second one of the same value is another field, and is shown.
  const take = (value: unknown) => {
    const found = [...rest].find(([, given]) => given === value)
    if (found) rest.delete(found[0])
  }
  const blocks: Block[] = []
  // The agent's own words are in their own box, which nobody has to read to its end.
  if (rest.get('description') === ask.agentSays && isRemark(ask)) rest.delete('description')
  if (context.command !== undefined) {
    take(context.command)
    blocks.push({ kind: 'command', key: 'command', text: context.command })
  }
  // Without a diff, which names the file in full, its path stays among the other fields.
  if (context.filePath !== undefined && context.diff !== undefined) {
    take(context.filePath)
    for (const name of inDiff(ask, context.diff)) rest.delete(name)
    // Once is what everybody expects; everywhere is worth a line.
    if (rest.get('replace_all') === false) rest.delete('replace_all')
    blocks.push({ kind: 'diff', key: 'diff', diff: context.diff, filePath: context.filePath })
  }
  if (context.url !== undefined) {
    take(context.url)
    blocks.push({ kind: 'url', key: 'url', url: context.url })
  }
  if (context.query !== undefined) {
    take(context.query)
    blocks.push({ kind: 'text', key: 'query', label: 'query', text: context.query })
  }
  const special = blocks.length > 0 || context.filePath !== undefined
  return special ? [...blocks, ...otherInput(rest, context.filePath)] : wholeInput(rest)
}

/** Fields that the diff says all of: with it on screen they are not shown a second time. */
function inDiff({ tool }: ShownCall, diff: string): readonly string[] {
  const { content, old_string: before, new_string: after, replace_all: everywhere } = tool?.input ?? {}
  if (tool?.name === 'Write') return typeof content === 'string' ? ['content'] : []
  // A cell that is deleted has no use for it. One whose lines stay as they are is not in the diff at all.
  if (tool?.name === 'NotebookEdit')
    return tool.input.edit_mode === 'delete' || !/^@@ /m.test(diff) ? [] : ['new_source']
  if (tool?.name !== 'Edit' || typeof before !== 'string' || typeof after !== 'string') return []
  return everywhere !== true && diffSaysEdit(diff, before, after) ? ['old_string', 'new_string'] : []
}

function isRemark({ tool, agentSays }: ShownCall): boolean {
  return (
    tool !== undefined &&
    REMARKED.has(tool.name) &&
    tool.mcpServer === undefined &&
    agentSays !== undefined &&
    agentSays.length <= LONGEST_REMARK &&
    agentSays.split('\n').length <= MOST_LINES_OF_REMARK
  )
}

/** What a plan's call says besides the plan and its file, which the card shows by themselves. */
export function besidesPlan({ tool, plan }: Pick<Ask, 'tool' | 'plan'>): Readonly<Record<string, unknown>> | undefined {
  const rest = Object.entries(tool?.input ?? {}).filter(
    ([name, value]) =>
      !((name === 'plan' && value === plan?.text) || (name === 'planFilePath' && value === plan?.filePath)),
  )
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

function wholeInput(input: ReadonlyMap<string, unknown>): readonly Block[] {
  return [{ kind: 'tree', key: 'input', label: 'Input', value: Object.fromEntries(input) }]
}

function otherInput(input: ReadonlyMap<string, unknown>, path: string | undefined): Block[] {
  const blocks: Block[] = []
  const facts: Fact[] = []
  const tree = new Map<string, unknown>()
  for (const [name, value] of input) {
    if (isShort(value)) facts.push({ name, value: typeof value === 'string' ? quoted(value) : literal(value) })
    else if (typeof value === 'string') {
      blocks.push({ kind: 'text', key: `input ${name}`, label: name, text: value, ...(path !== undefined && { path }) })
    } else tree.set(name, value)
  }
  // Many small facts are as good a hiding place as one long text.
  if (facts.length > FEW) for (const { name } of facts) tree.set(name, input.get(name))
  else if (facts.length > 0) blocks.push({ kind: 'facts', key: 'facts', facts })
  if (tree.size > 0) blocks.push({ kind: 'tree', key: 'other', label: 'Other input', value: Object.fromEntries(tree) })
  return blocks
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= SHORT && !value.includes('\n')
  return value === null || typeof value === 'number' || typeof value === 'boolean'
}

/** In quotes where it could be taken for a number, for `false` or for nothing at all. */
function quoted(text: string): string {
  return text.trim() !== text || text === '' || text.startsWith('"') || isJson(text) ? `"${text}"` : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** All texts that the blocks show, for the line that warns of escapes. */
export function textsOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case 'command':
        return [block.text]
      case 'diff':
        return [block.filePath, block.diff]
      case 'url':
        return [block.url]
      case 'text':
        return [block.label, block.text]
      case 'tree':
        return stringsIn(block.value)
      case 'facts':
        return block.facts.flatMap(({ name, value }) => [name, value])
      default:
        return block satisfies never
    }
  })
}
