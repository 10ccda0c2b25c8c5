/** Measured with Claude Code: these show figures, or shorten the conversation, and do nothing else. */
const HARMLESS: readonly string[] = ['compact', 'context', 'cost', 'usage']

/**
 * The command that the agent would take this message for. Agents act on those themselves, before the model and without
 * an ask: they change settings, mode and model, also for sessions elsewhere, write files, run what a project's command
 * names. A path at the beginning is none.
 */
export function agentCommand(text: string): string | undefined {
  const name = /^\s*\/([^\s/]+)(?=\s|$)/.exec(text)?.[1]
  return name === undefined || HARMLESS.includes(name) ? undefined : name
}

export function notYourCommand(name: string): string {
  const harmless = HARMLESS.map((other) => `/${other}`).join(', ')
  return `The agent would take “/${name}” for a command of its own, which can change settings, mode, model and files without asking. Only an owner of all sessions may send one. Say it in other words; these may be sent: ${harmless}.`
}
