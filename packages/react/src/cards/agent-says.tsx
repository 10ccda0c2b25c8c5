import type { Ask } from '@holdpoint/schema/ask'
import type { ReactNode } from 'react'
import { VisibleText } from '../visible-text.tsx'

const LONG = 400

/** The agent's own words, fenced: they can say anything (T27). */
export function AgentSays({ text, who = 'the agent says' }: { text: string; who?: string | undefined }) {
  // What scrolls must be in reach of the keyboard.
  const scrolls = text.length > LONG && { tabIndex: 0, role: 'group', 'aria-label': who }
  return (
    <div className="flex flex-col gap-x-2.5 rounded-lg border border-dashed border-line px-3 py-1.5 text-[13px] text-quiet sm:flex-row">
      <span className="shrink-0 text-faint">{who}</span>
      <div
        {...scrolls}
        className={`min-w-0 whitespace-pre-wrap wrap-anywhere ${scrolls ? 'max-h-40 overflow-y-auto' : ''}`}
      >
        <VisibleText text={text} multiline />
      </div>
    </div>
  )
}

/** Whose words the message of a form is. */
export function formSpeaker({ raisedBy, tool }: Ask): string {
  if (raisedBy !== undefined) return 'the program says'
  return tool ? 'the agent says' : 'the server says'
}

/** A fact that we checked or read, with its name. */
export function FactLine({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-x-2.5 text-[13px] sm:flex-row">
      <span className="shrink-0 text-faint">{name}</span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </div>
  )
}
