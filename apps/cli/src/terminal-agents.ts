import type { ATTACHED } from '@holdpoint/agents/attached/attached-agents'
import type { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'

/** As the gateway names the agents of terminals. By type alone: the drivers are nothing that a command has to load. */
export const HOSTED_AGENT: typeof TERMINAL_AGENT = 'terminal'
export const ATTACHED_AGENT: typeof ATTACHED = 'attached'
