import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { readTextFile } from './read-text-file.ts'

/**
 * Claude Code hands on what the plan's file holds when the answer arrives, not what was shown. So an unedited allow
 * counts only while the two are the same.
 */
export async function recheckPlan(ask: Ask, answer: Answer): Promise<string | undefined> {
  if (ask.kind !== 'plan' || answer.kind !== 'allow' || answer.plan !== undefined || !ask.plan?.filePath)
    return undefined
  const now = await readTextFile(ask.plan.filePath)
  if ('text' in now && now.text.trim() === ask.plan.text.trim()) return undefined
  return 'The plan has changed since it was shown. Send the plan along with your answer, or deny and have it shown again.'
}
