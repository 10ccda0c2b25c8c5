import type { TERMINAL_AGENT } from '@holdpoint/agents/hosted/terminal-driver'

/** As the gateway names the agent of a hosted terminal. By type alone: a driver is nothing that a command has to load. */
export const HOSTED_AGENT: typeof TERMINAL_AGENT = 'terminal'
