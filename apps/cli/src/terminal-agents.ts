import type { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'

/** As the gateway names the agent of a hosted terminal. By type alone: a driver is nothing that a command has to load. */
export const HOSTED_AGENT: typeof TERMINAL_AGENT = 'terminal'
