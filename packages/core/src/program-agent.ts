/** The agent of sessions that belong to a program that asks over the API, and to no agent. As it is in the record. */
export const PROGRAM_AGENT = 'program'
