import type { Query } from '@anthropic-ai/claude-agent-sdk'
import type { OfferedCommand, OfferedModel, Offers } from '@holdpoint/schema/offers'
import { ModelName } from '@holdpoint/schema/session'

/** Of each list, and characters of each text: a folder's skills and an MCP server's prompts are in them. */
const MOST = 500
const LONGEST = 500
/** What can be written as a command: one word without hidden characters. */
const COMMAND_NAME = /^[^\s\p{C}/]{1,128}$/u

/**
 * What Claude Code itself tells: as it started, or was taken over by another gateway, for each SDK initializes it anew; its
 * later words about its commands count as well.
 */
export async function offersOf(query: Pick<Query, 'supportedCommands' | 'supportedModels'>): Promise<Offers> {
  const [commands, models] = await Promise.all([query.supportedCommands(), query.supportedModels()])
  return {
    models: models
      .filter(({ value }) => ModelName.safeParse(value).success)
      .slice(0, MOST)
      .map(model),
    commands: unique(commands.filter(({ name }) => COMMAND_NAME.test(name)))
      .slice(0, MOST)
      .map(command),
  }
}

function model({
  value,
  displayName,
  description,
}: {
  value: string
  displayName?: string
  description?: string
}): OfferedModel {
  return { value, name: cut(displayName) ?? value, ...given('description', description) }
}

function command(told: { name: string; description?: string; argumentHint?: string }): OfferedCommand {
  return { name: told.name, ...given('description', told.description), ...given('argumentHint', told.argumentHint) }
}

/** A name that is told twice runs the first of its rows that is Claude Code's own, so that one's words count. */
function unique<Row extends { name: string; builtin?: boolean }>(rows: readonly Row[]): Row[] {
  const byName = new Map<string, Row>()
  for (const row of rows) {
    const before = byName.get(row.name)
    if (!before || (row.builtin && !before.builtin)) byName.set(row.name, row)
  }
  return [...byName.values()]
}

function given<Name extends string>(name: Name, text: string | undefined): { [K in Name]?: string } {
  const short = cut(text)
  return (short === undefined ? {} : { [name]: short }) as { [K in Name]?: string }
}

function cut(text: unknown): string | undefined {
  return typeof text === 'string' && text !== '' ? text.slice(0, LONGEST) : undefined
}
