import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { Button } from '@holdpoint/react/ui/button'
import type { Session } from '@holdpoint/schema/session'
import { CircleAlert, CircleStop, RotateCcw } from 'lucide-react'
import { useIsOwner } from '../account/me.tsx'
import { useStartSession } from '../new-session/use-start-session.ts'
import { useCommand } from '../parts/use-command.ts'
import { type Unsent, UnsentMessages, useUnsent } from './unsent-messages.tsx'

const REASONS: Readonly<Record<string, string>> = {
  'ended-by-person': 'Somebody ended it.',
  'all-stopped': 'Somebody stopped all agents of this machine (holdpoint stop --all).',
  'trust-lost': 'The settings of its folder changed.',
  idle: 'There was no message for a long time.',
  'agent-exited': 'The agent exited.',
  'ended-by-program': 'The program that it ran in ended it.',
  'ended-at-terminal': 'It was ended at its terminal.',
  'cleared-at-terminal': 'The conversation was cleared at its terminal, where a new one continues.',
  error: 'Something went wrong.',
  'machine-given-up':
    'Its machine could not be reached, and somebody gave it up. Its agent may have gone on working there.',
}

/** A program in a terminal leaves its exit code. */
const EXIT_CODE = /^exit-code-(\d+)$/

function reasonWords(reason = ''): string | undefined {
  const code = EXIT_CODE.exec(reason)?.[1]
  return code === undefined ? REASONS[reason] : `The program ended with exit code ${code}.`
}

/** A conversation that was started in a terminal continues as a new session, which the gateway runs. */
function ResumeHere({ conversation, node }: { conversation: string; node: Session['node'] }) {
  const { start, busy, failure } = useStartSession()
  return (
    <>
      <Button
        variant="primary"
        icon={RotateCcw}
        busy={busy}
        onClick={() => void start({ agent: 'claude', resumeTranscript: conversation, ...(node && { node }) })}
      >
        Resume here
      </Button>
      {failure && (
        <p role="alert" className="basis-full text-sm text-deny">
          {failure.message}
        </p>
      )}
    </>
  )
}

function EndReason({ session: { error, endReason } }: { session: Session }) {
  return (
    <p className={`wrap-anywhere ${error ? 'text-deny' : 'text-quiet'}`}>
      {error ? (
        <VisibleText text={error.message} />
      ) : (
        (reasonWords(endReason) ?? <VisibleText text={endReason ?? 'The reason is unknown.'} />)
      )}
    </p>
  )
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `2026-08` as people say it. */
function monthWords(archive: string): string {
  return MONTH.format(new Date(`${archive}-01T00:00:00Z`))
}

/** What is left of a deleted session to say. */
function DeletedWords({ at, by }: NonNullable<Session['deleted']>) {
  return (
    <>
      <p className="font-medium">
        Deleted <Age since={at} suffix=" ago" /> by <VisibleText text={by.name} />
      </p>
      <p className="text-quiet">The hashes of its events stay in the record, so that it can still be verified.</p>
    </>
  )
}

/** An ended session says why, and can be taken up again, unless its record was changed. */
export function EndedBar({ session, isDamaged }: { session: Session; isDamaged: boolean }) {
  const client = useClient()
  const mayResume = useIsOwner() && !isDamaged && !session.deleted
  const { run, busy, failure } = useCommand()
  const unsent = useUnsent(session)
  const isAgain = unsent.messages.length > 0
  const Icon = session.error ? CircleAlert : CircleStop
  return (
    <section
      aria-label="Ended"
      className="shrink-0 border-t border-line bg-panel px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))]"
    >
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-4 gap-y-2">
        <Icon aria-hidden className={`size-5 shrink-0 ${session.error ? 'text-deny' : 'text-faint'}`} />
        <div className="min-w-0 flex-1 basis-60 text-sm">
          {session.deleted ? (
            <DeletedWords {...session.deleted} />
          ) : (
            <>
              <p className="font-medium">
                Ended <Age since={session.stateChangedAt} suffix=" ago" />
                {session.retired && (
                  <span className="text-quiet"> · in the archive of {monthWords(session.retired.archive)}</span>
                )}
              </p>
              {/* Of a record that was changed, the thread above says all that there is to say. */}
              {!isDamaged && <EndReason session={session} />}
            </>
          )}
          {failure && (
            <p role="alert" className="mt-1 text-deny">
              {failure}
            </p>
          )}
        </div>
        {mayResume && session.attached && session.vendorSessionId !== undefined && (
          <ResumeHere conversation={session.vendorSessionId} node={session.node} />
        )}
        {mayResume && !session.embedded && !session.attached && (
          <Button
            variant="primary"
            icon={RotateCcw}
            busy={busy}
            onClick={() => void run(client.startSession({ resume: session.id, ...again(unsent) }))}
          >
            {isAgain ? 'Try again' : 'Resume'}
          </Button>
        )}
        {!isDamaged && <UnsentMessages unsent={unsent} />}
      </div>
    </section>
  )
}

/** What is sent with the resumption: what waits is sent by the gateway. */
function again({ messages: [message], waits }: Unsent) {
  if (waits || !message) return {}
  return { prompt: message.text, ...(message.attachments && { attachments: message.attachments }) }
}
