import { slashCommand } from '@holdpoint/core/text/slash-command'

/** Measured with Claude Code: these show figures, or shorten the conversation, and do nothing else. */
const HARMLESS: readonly string[] = ['compact', 'context', 'cost', 'usage']

/**
 * The command that the agent would take this message for. Agents act on those themselves, before the model and without
 * an ask: they change settings, mode and model, also for sessions elsewhere, write files, run what a project's command
 * names.
 */
export function agentCommand(text: string): string | undefined {
  const name = slashCommand(text)
  return name === undefined || HARMLESS.includes(name) ? undefined : name
}

export function notYourCommand(name: string): string {
  const harmless = HARMLESS.map((other) => `/${other}`).join(', ')
  return `“/${name}” is a command of the agent itself. Such commands can change settings, mode, model and files without asking, so only an owner of all sessions may send them. Use other words. These commands are allowed: ${harmless}.`
}
