import { remarkField } from '@holdpoint/core/agent-remark'
import { realPathOf } from '@holdpoint/core/call-facts'
import { planField } from '@holdpoint/core/plan-input'
import { shownField } from '@holdpoint/core/shown-field'
import type { Ask } from '@holdpoint/schema/ask'
import type { CallFacts } from '@holdpoint/schema/call-facts'
import type { CardPart } from '@holdpoint/schema/display'
import { literal } from '../text/json-rows.ts'
import { stringsIn } from '../text/strings-in.ts'

/** One piece of what an approval would run, in the order it is shown. */
export type Block =
  | { readonly kind: 'command'; readonly key: string; readonly text: string }
  | {
      readonly kind: 'diff'
      readonly key: string
      readonly diff: string
      readonly filePath: string
      /** The name that the file has in the diff, where a link leads to it. */
      readonly realPath?: string
    }
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
  /** Of the agent, or of the program that asks, where there are many of them. */
  | { readonly kind: 'words'; readonly key: string; readonly text: string }

/** What there is to show of a call, whether an ask carries it or another protocol's request. */
export interface ShownCall
  extends Pick<
      Ask,
      'kind' | 'tool' | 'context' | 'agentSays' | 'decisionReason' | 'matchedAskRule' | 'raisedBy' | 'askedBecause'
    >,
    Omit<CallFacts, 'cwd'> {}

export interface Fact {
  readonly name: string
  readonly value: string
}

const FEW_CHARACTERS = 300
const FEW_LINES = 6
const SHORT = 80
const FEW = 12

/**
 * Everything of a tool's input, each field in exactly one block: what has no special place comes last. A field that
 * stayed hidden would be allowed unseen (T26).
 */
export function approvalBlocks(ask: ShownCall): readonly Block[] {
  const { context } = ask
  const rest = new Map(Object.entries(ask.tool?.input ?? {}))
  // The field that the driver names, or else the only one of this value: any other is shown under its own name (I6).
  const take = (part: CardPart, value: string) => {
    const named = shownField(ask.display, part)
    const same = [...rest.keys()].filter((name) => rest.get(name) === value)
    for (const name of same) if (named === undefined ? same.length === 1 : name === named) rest.delete(name)
  }
  const blocks: Block[] = []
  // The agent's own words are in their own box.
  const remark = remarkField(ask)
  if (remark !== undefined) rest.delete(remark)
  if (context.command !== undefined) {
    take('command', context.command)
    blocks.push({ kind: 'command', key: 'command', text: context.command })
  }
  // Without a diff, which names the file in full, its path stays among the other fields.
  if (context.filePath !== undefined && context.diff !== undefined) {
    take('path', context.filePath)
    // The diff says all of them: with it on screen they are not shown a second time.
    for (const [name, part] of Object.entries(ask.display?.shownIn ?? {})) if (part === 'diff') rest.delete(name)
    const realPath = realPathOf(ask)
    blocks.push({
      kind: 'diff',
      key: 'diff',
      diff: context.diff,
      filePath: context.filePath,
      ...(realPath !== undefined && { realPath }),
    })
  }
  if (context.url !== undefined) {
    take('url', context.url)
    blocks.push({ kind: 'url', key: 'url', url: context.url })
  }
  if (context.query !== undefined) {
    take('query', context.query)
    blocks.push({ kind: 'text', key: 'query', label: 'query', text: context.query })
  }
  const special = blocks.length > 0 || context.filePath !== undefined
  return [...(special ? [...blocks, ...otherInput(rest, context.filePath)] : wholeInput(rest)), ...manyWords(ask)]
}

/** A few words are whole on the card at once. Many scroll in their box, and have an end to be seen (T26). */
function manyWords({ agentSays: text = '' }: ShownCall): readonly Block[] {
  const areFew = text.length <= FEW_CHARACTERS && text.split('\n').length <= FEW_LINES
  return areFew ? [] : [{ kind: 'words', key: 'words', text }]
}

/** What a plan's call says besides the plan and its file, which the card shows by themselves. */
export function besidesPlan(
  ask: Pick<Ask, 'tool' | 'plan' | 'display'>,
): Readonly<Record<string, unknown>> | undefined {
  const { tool, plan, display } = ask
  const field = planField(ask)
  const rest = Object.entries(tool?.input ?? {}).filter(
    ([name, value]) =>
      !(
        (name === field && value === plan?.text) ||
        (display?.shownIn?.[name] === 'plan-file' && value === plan?.filePath)
      ),
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
      case 'words':
        // Words are judged as such.
        return []
      default:
        return block satisfies never
    }
  })
}
