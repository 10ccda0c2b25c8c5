import type { Ask } from '@holdpoint/schema/ask'
import type { ReactNode } from 'react'
import { SeenRegion } from '../arming/seen-region.tsx'
import { VisibleText } from '../text/visible-text.tsx'

interface AgentSaysProps {
  readonly text: string
  readonly who?: string | undefined
  /** Called once when the end of the words has been on screen. With it long words scroll inside. */
  readonly onEndSeen?: (() => void) | undefined
}

/** The agent's own words, fenced: they can say anything (T27). */
export function AgentSays({ text, who = 'the agent says', onEndSeen }: AgentSaysProps) {
  const words = <VisibleText text={text} multiline />
  return (
    <div className="flex flex-col gap-x-2.5 rounded-lg border border-dashed border-line px-3 py-1.5 text-[13px] text-quiet sm:flex-row">
      <span className="shrink-0 text-faint">{who}</span>
      {onEndSeen ? (
        <SeenRegion label={who} content={text} maxHeight="10rem" frameless className="flex-1" onEndSeen={onEndSeen}>
          <div className="px-1">{words}</div>
        </SeenRegion>
      ) : (
        <div className="min-w-0">{words}</div>
      )}
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
      <span className="shrink-0 text-faint sm:min-w-21">{name}</span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </div>
  )
}
