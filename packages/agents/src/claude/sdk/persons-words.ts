import type { NewItem } from '@holdpoint/core/driver'

/**
 * What stands in a person's place in a transcript: a prompt, or what Claude Code makes of a slash command, of a shell
 * command behind `!`, and of an interruption.
 */
export function personsWords(text: string): NewItem[] {
  const words = text.trim()
  if (words === '') return []
  if (words.startsWith('[Request interrupted by user')) return [notice('Interrupted by the user.')]
  const command = tagged(words, 'command-name')
  if (command !== undefined) return [message(`${command} ${tagged(words, 'command-args') ?? ''}`.trim())]
  const shell = tagged(words, 'bash-input')
  if (shell !== undefined) return [message(`! ${shell}`)]
  for (const [open, ...others] of OUTPUTS) {
    if (!words.startsWith(`<${open}>`)) continue
    const output = [open, ...others].map((name) => tagged(words, name)?.trim()).filter(Boolean)
    return output.length === 0 ? [] : [notice(output.join('\n'))]
  }
  if (ASIDES.some((name) => words.startsWith(`<${name}>`))) return []
  return [message(words)]
}

const OUTPUTS = [
  ['local-command-stdout', 'local-command-stderr'],
  ['local-command-stderr'],
  ['bash-stdout', 'bash-stderr'],
] as const

/** Said to the model, not by a person. */
const ASIDES = ['local-command-caveat', 'system-reminder', 'task-notification'] as const

function tagged(text: string, name: string): string | undefined {
  const from = text.indexOf(`<${name}>`)
  const to = text.indexOf(`</${name}>`, from)
  // Only where it stands first may it be Claude Code's own; anywhere else somebody wrote about it.
  if (from < 0 || to < 0 || !text.startsWith('<')) return undefined
  return text.slice(from + name.length + 2, to)
}

function message(text: string): NewItem {
  return { type: 'message', role: 'user', text }
}

function notice(text: string): NewItem {
  return { type: 'notice', level: 'info', text }
}
