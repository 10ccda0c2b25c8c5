import type { SessionId } from '@holdpoint/schema/id'
import { keepDraft, readDraft } from '../parts/draft.ts'

const MOST = 50
const LONGEST = 10_000

/** What was sent to a session from this tab, oldest first. Kept as drafts are, and forgotten with them. */
export function sentMessages(sessionId: SessionId): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readDraft(placeOf(sessionId)) || '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : []
  } catch {
    return []
  }
}

export function noteSent(sessionId: SessionId, text: string): void {
  if (text.length > LONGEST) return
  const others = sentMessages(sessionId).filter((sent) => sent !== text)
  keepDraft(placeOf(sessionId), JSON.stringify([...others, text].slice(-MOST)))
}

const placeOf = (sessionId: SessionId) => `sent.${sessionId}`
