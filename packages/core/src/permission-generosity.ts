/** How much a mode lets through unasked. An agent that starts in a more generous one than it was told to is refused. */
const GENEROSITY = { plan: 0, dontAsk: 0, default: 0, acceptEdits: 1, auto: 2, bypassPermissions: 3 } as const

export function generosity(mode: string): number {
  return GENEROSITY[mode as keyof typeof GENEROSITY] ?? Number.POSITIVE_INFINITY
}
