import { projectName } from '@holdpoint/core/text/project-name'
import { render } from '@holdpoint/core/text/visible-text'
import { MachineName } from '@holdpoint/react/cards/machine-name'
import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { isAway } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { StatusDot, statusOf, statusWords } from '@holdpoint/react/ui/session-status'
import type { Session } from '@holdpoint/schema/session'
import { FileDiff, Square } from 'lucide-react'
import { useIsOwner, useMayAct } from '../account/me.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { ThreadHeader } from '../parts/thread-header.tsx'
import { useCommand } from '../parts/use-command.ts'
import { AtItsTerminal } from '../terminal/at-its-terminal.tsx'
import { hasTerminal } from '../terminal/session-terminal.ts'
import { usageFacts } from '../usage/usage-words.ts'
import { ModeSelect } from './mode-select.tsx'
import { SessionMenu } from './session-menu.tsx'

/** How full the agent's context is, and what it has cost, as it says itself. */
function UsageFigures({ session }: { session: Session }) {
  const { context, used } = usageFacts(session)
  return (
    <>
      {context && (
        <>
          {/* On a phone there is no room for it; the bar tells when it runs full. */}
          <span aria-hidden className="max-sm:hidden">
            ·
          </span>
          <span className="shrink-0 tabular-nums max-sm:hidden">{context}</span>
        </>
      )}
      {used && (
        <>
          <span aria-hidden>·</span>
          <span className="shrink-0 tabular-nums">{used}</span>
        </>
      )}
    </>
  )
}

interface SessionHeaderProps {
  readonly session: Session
  /** Opens the search of its thread. */
  onSearch(): void
}

export function SessionHeader({ session, onSearch }: SessionHeaderProps) {
  const client = useClient()
  const command = useCommand()
  const isOwner = useIsOwner()
  const mayAct = useMayAct()
  const status = statusOf(session)
  const machine = useMachineOf(session)
  const isGone = machine !== undefined && isAway(machine)
  const canStop = mayAct && !session.attached && (status === 'working' || status === 'waiting')
  return (
    <ThreadHeader
      back={{ href: '/', label: 'Back to the inbox', className: 'desk:hidden' }}
      title={session.title}
      facts={
        <>
          <StatusDot status={status} />
          <span className={`max-w-3/5 shrink-0 truncate ${status === 'waiting' ? 'font-medium text-wait' : ''}`}>
            {statusWords(status)}
          </span>
          <span aria-hidden>·</span>
          <span className="min-w-0 shrink-99 truncate" title={render(session.cwd)}>
            <VisibleText text={projectName(session)} code />
          </span>
          <UsageFigures session={session} />
          {machine && (
            <>
              <span aria-hidden>·</span>
              <MachineName machine={machine} isOver={session.state === 'dead'} className="max-w-2/5 shrink-0" />
            </>
          )}
          {session.attached && (
            <>
              <span aria-hidden>·</span>
              <span className="shrink-0">
                <AtItsTerminal />
              </span>
            </>
          )}
        </>
      }
      actions={
        <>
          {isOwner && session.state !== 'dead' && !session.attached && !hasTerminal(session) && (
            <div className="hidden desk:block">
              <ModeSelect session={session} />
            </div>
          )}
          {canStop && (
            <span className="hidden desk:block [&_.lucide-square]:fill-current">
              <Button
                icon={Square}
                off={isGone}
                why="Its machine is not reachable."
                busy={command.busy}
                onClick={() => void command.run(client.interrupt(session.id))}
              >
                Interrupt
              </Button>
            </span>
          )}
          <span className="hidden desk:block">
            <LinkButton href={`/sessions/${session.id}/changes`} icon={FileDiff}>
              Changes
            </LinkButton>
          </span>
          <SessionMenu session={session} canInterrupt={canStop && !isGone} command={command} onSearch={onSearch} />
        </>
      }
    >
      {command.failure && (
        <p role="alert" className="px-6 pb-2 text-sm text-deny">
          {command.failure}
        </p>
      )}
    </ThreadHeader>
  )
}
