import type { WhenStopped } from '@holdpoint/agents/claude/hooks/hook-command'
import { terminalText } from '../console/terminal-text.ts'
import { attachedTo } from './change-settings.ts'
import { readSettings, settingsPath } from './settings-file.ts'

/** Whether the user's own settings send the asks of terminals somewhere. */
export interface AttachedTerminals {
  readonly settings: string
  readonly attached: boolean
  /** The data folder of the gateway that gets them. */
  readonly data?: string
  /** What becomes of calls while no gateway runs. */
  readonly whenStopped?: WhenStopped
}

export function lookAtTerminals(): AttachedTerminals {
  const settings = settingsPath(undefined)
  try {
    const found = attachedTo(readSettings(settings).text)
    return { settings, attached: found !== undefined, ...found }
  } catch {
    // Claude Code cannot read it either.
    return { settings, attached: false }
  }
}

export function terminalsLine({ settings, attached, data }: AttachedTerminals, folder: string): string {
  if (!attached) return 'Terminals not attached ("holdpoint attach" attaches them)'
  const where = data === undefined || data === folder ? '' : ` to the gateway on ${terminalText(data)}`
  return `Terminals attached${where}, by ${terminalText(settings)}`
}
