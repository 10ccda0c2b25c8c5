import type { HistoryFilter } from '@holdpoint/schema/endpoints/history'
import type { RuleId } from '@holdpoint/schema/id'

const DAY_MS = 24 * 3_600_000

/** How far back a search goes. */
export const PERIODS = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
] as const

export const OUTCOMES = [
  { value: 'allowed', label: 'Allowed' },
  { value: 'denied', label: 'Denied' },
  { value: 'answered', label: 'Answered' },
  { value: 'expired', label: 'Expired' },
  { value: 'withdrawn', label: 'Withdrawn' },
] as const

/** What a person has chosen. Empty texts are no choice. */
export interface HistoryChoice {
  readonly outcome: string
  readonly tool: string
  readonly project: string
  readonly device: string
  /** Its id, where there are several. */
  readonly machine: string
  /** Days. */
  readonly period: string
}

export const NO_CHOICE: HistoryChoice = { outcome: '', tool: '', project: '', device: '', machine: '', period: '' }

export function queryOf(text: string, { period, outcome, ...same }: HistoryChoice, now: number): HistoryFilter {
  const given = Object.entries({ text: text.trim(), outcome, ...same }).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(given), ...(period !== '' && { from: now - Number(period) * DAY_MS }) }
}

/** Of an address: anybody may have written it. */
export function isRuleId(text: string): text is RuleId {
  return /^rul_[0-9a-z]{26}$/.test(text)
}
