import type { Outcome } from '@holdpoint/schema/outcome'

/** Whether the agent may go on with what it asked about. */
export function isYes({ kind }: Pick<Outcome, 'kind'>): boolean {
  return kind === 'allowed' || kind === 'answered'
}
