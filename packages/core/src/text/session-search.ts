import type { Session } from '@holdpoint/schema/session'

/** What is searched of each session, made once for each. */
const texts = new WeakMap<Session, string>()

/** Whether a session has every one of these words in its title, its folder or its agent's name. */
export function sessionMatcher(words: string): (session: Session) => boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return (session) => {
    const text = textOf(session)
    return wanted.every((word) => text.includes(word))
  }
}

function textOf(session: Session): string {
  const known = texts.get(session) ?? `${session.title}\n${session.cwd}\n${session.agent}`.toLowerCase()
  texts.set(session, known)
  return known
}
