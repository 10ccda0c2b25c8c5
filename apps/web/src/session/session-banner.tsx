import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { ShieldAlert } from 'lucide-react'

/** An alarm: what ran was not what was allowed. It stays until the session is ended. */
export function SessionBanner({ session }: { session: Session }) {
  if (!session.frozen) return null
  return (
    <div role="alert" className="shrink-0 border-b border-deny-line bg-deny-bg px-4 py-3 text-deny">
      <div className="mx-auto flex max-w-3xl items-start gap-3 text-sm">
        <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
        <p>
          <strong>Frozen by an alarm.</strong> Something ran in <VisibleText text={session.cwd} code /> that was not
          what was allowed. Nothing more can be allowed in this session: check what happened, then end it.
        </p>
      </div>
    </div>
  )
}
