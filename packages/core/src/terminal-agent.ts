/** The agent of sessions whose program runs in a terminal of the gateway. As it is in the record. */
export const TERMINAL_AGENT = 'terminal'
