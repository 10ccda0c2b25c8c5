/** An outcome without what only serves our own bookkeeping. */
export function publicOutcome<Given extends { retryKey?: string }>(outcome: Given): Omit<Given, 'retryKey'> {
  const { retryKey, ...rest } = outcome
  return rest
}
