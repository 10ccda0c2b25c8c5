/** Nobody has got what was sent. */
const NOT_CONNECTED: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The system's word for what went wrong with a connection, in what Node's fetch throws. */
export function connectionCode(thrown: unknown): string | undefined {
  // What fetch throws says nothing; the reason is one level down, and an address with two families has it in a list.
  const { code, errors } = ((thrown as Error | undefined)?.cause ?? thrown ?? {}) as {
    code?: string
    errors?: { code?: string }[]
  }
  return code ?? errors?.[0]?.code
}

/** Whether no connection came about. */
export function isNotConnected(code: string | undefined): boolean {
  return NOT_CONNECTED.has(code)
}
