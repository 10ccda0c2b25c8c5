import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'

export interface ClaudeLaunch {
  readonly args: readonly string[]
  /** The id of the conversation, where it is known beforehand. */
  readonly vendorSessionId?: string
}

/** Of which the next argument is the value, or the part after the `=`. */
const SESSION_FLAGS = ['--session-id', '--resume', '-r']
const OTHER_CONVERSATION = ['--continue', '-c', '--fork-session']
/** These end at once, or talk to something other than a person. */
const NOT_INTERACTIVE = ['-p', '--print', '--help', '-h', '--version', '-v']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether it is Claude Code that runs there: then its dialogs and its transcript can be read. */
export function isClaude({ command, args }: { command: string; args: readonly string[] }): boolean {
  const isCommand =
    args[0] !== undefined &&
    /^[a-z]/.test(args[0]) &&
    /^(mcp|config|update|install|doctor|plugin|setup-token|agents|auth)$/.test(args[0])
  return /^claude(\.exe)?$/.test(basename(command)) && !isCommand && !args.some((arg) => NOT_INTERACTIVE.includes(arg))
}

/** How Claude Code is started so that its transcript can be found: by an id that is given, or known from before. */
export function claudeLaunch(args: readonly string[], resume: string | undefined): ClaudeLaunch {
  // In one argument: an id that begins like an option would be one by itself (T55).
  if (resume !== undefined)
    return { args: [...withoutConversation(args), `--resume=${resume}`], vendorSessionId: resume }
  const given = givenId(args)
  if (given !== undefined) return UUID.test(given) ? { args, vendorSessionId: given } : { args }
  if (args.some((arg) => OTHER_CONVERSATION.includes(arg) || isFlag(arg))) return { args }
  const vendorSessionId = randomUUID()
  return { args: ['--session-id', vendorSessionId, ...args], vendorSessionId }
}

function isFlag(arg: string): boolean {
  return SESSION_FLAGS.some((flag) => arg === flag || arg.startsWith(`${flag}=`))
}

function givenId(args: readonly string[]): string | undefined {
  const place = args.findIndex(isFlag)
  const flag = args[place]
  if (flag === undefined || args.includes('--fork-session')) return undefined
  return flag.includes('=') ? flag.slice(flag.indexOf('=') + 1) : args[place + 1]
}

/** The first prompt, too, is part of the conversation that is gone on with: said again, it would be done again. */
function withoutConversation(args: readonly string[]): string[] {
  const kept: string[] = []
  for (let place = 0; place < args.length; place++) {
    const arg = args[place] ?? ''
    if (OTHER_CONVERSATION.includes(arg)) continue
    if (isFlag(arg)) {
      if (arg === '--session-id' || UUID.test(args[place + 1] ?? '')) place++
      continue
    }
    kept.push(arg)
  }
  return isPrompt(kept) ? kept.slice(0, -1) : kept
}

/** Whether the last one is a prompt: several words, or one that belongs to no flag. */
function isPrompt(args: readonly string[]): boolean {
  const [before = '', last = '-'] = args.length > 1 ? args.slice(-2) : ['', ...args]
  return !last.startsWith('-') && (/\s/.test(last) || !before.startsWith('-'))
}
