import { PROGRAM_AGENT } from '@holdpoint/core/program-agent'
import { MachineName } from '@holdpoint/react/cards/machine-name'
import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { Session } from '@holdpoint/schema/session'
import type { ReactNode } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { machineName } from '../machines/machine-words.ts'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { useCommand } from '../parts/use-command.ts'
import { hasTerminal } from '../terminal/session-terminal.ts'
import { agentWords } from '../text/agent-words.ts'
import { modeMeaning, modeName } from '../text/permission-modes.ts'
import { KIND_WORDS, limitWords } from '../time-limits/limit-words.ts'
import { FolderTrust } from './folder-trust.tsx'
import { ModeSelect } from './mode-select.tsx'
import { SessionModel } from './session-model.tsx'

interface SessionDialogProps {
  readonly session: Session
  onClose(): void
}

/** What is seldom needed about a session: its settings, its folder's trust. */
export function SessionDialog({ session, onClose }: SessionDialogProps) {
  const isOwner = useIsOwner()
  const command = useCommand()
  const machine = useMachineOf(session)
  const isAlive = session.state !== 'dead'
  // The mode and the model of a program in a terminal are set by typing there.
  const maySet = isOwner && isAlive && !session.attached && !hasTerminal(session)
  return (
    <Dialog open onClose={onClose} title="About this session">
      <dl className="grid grid-cols-[6.5rem_1fr] items-center gap-x-3 gap-y-2.5 text-sm">
        <Fact name="Folder">
          <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">
            <VisibleText text={session.cwd} code />
          </span>
          <CopyButton text={session.cwd} label="Copy the folder's path" />
        </Fact>
        {machine && (
          <Fact name="Machine">
            <MachineName machine={machine} isOver={!isAlive} />
          </Fact>
        )}
        <Fact name="Agent">
          {session.attached ? 'Claude Code, in a terminal' : <VisibleText text={agentWords(session.agent).label} />}
        </Fact>
        <Fact name="Mode">
          <div className="min-w-0">
            {maySet ? <ModeSelect session={session} /> : modeName(session.permissionMode)}
            <p className="mt-1 text-xs text-quiet">{modeMeaning(session.permissionMode)}</p>
          </div>
        </Fact>
        <Fact name="Asks for">
          {session.gate === 'everything' ? 'every tool call' : 'calls that the mode does not allow'}
        </Fact>
        <Fact name="Asks wait">
          <WaitWords session={session} />
        </Fact>
        <Fact name="Model">
          {maySet ? <SessionModel session={session} /> : <VisibleText text={session.model ?? 'the agent’s default'} />}
        </Fact>
        {!session.embedded && !session.attached && (
          <Fact name="Folder trust">
            <FolderTrust session={session} command={command} />
          </Fact>
        )}
        <Fact name="Started">
          <Age since={session.startedAt} suffix=" ago" />
        </Fact>
        <Fact name="Id">
          <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{session.id}</code>
          <CopyButton text={session.id} label="Copy the id" />
        </Fact>
      </dl>
      <p className="mt-3 text-xs text-quiet">
        {session.attached
          ? `The agent was started in a terminal on ${machine ? machineName(machine) : 'the gateway’s machine'}. Change its mode and model there, and end it there.`
          : session.agent === PROGRAM_AGENT
            ? 'A program that asks people: a script, or a client of MCP. Its name and folder are its own words.'
            : session.embedded
              ? 'The agent runs inside another program, which decides what it loads and may do.'
              : 'Trusting a folder loads its own settings, hooks and MCP servers the next time an agent starts in it.'}
      </p>
      <FailureNotice why={command.failure} className="mt-4" />
    </Dialog>
  )
}

function WaitWords({ session: { askTimeoutMs, onTimeout, timeLimits = [] } }: { session: Session }) {
  return (
    <span>
      {limitWords({ afterMs: askTimeoutMs ?? null, onTimeout })}
      {timeLimits.map((limit) => (
        <span key={limit.kind} className="block">
          {KIND_WORDS[limit.kind]}: {limitWords(limit)}
        </span>
      ))}
    </span>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="flex min-h-8 min-w-0 items-center gap-2">{children}</dd>
    </>
  )
}
