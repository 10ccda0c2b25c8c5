import { LastHeard } from '@holdpoint/react/cards/last-heard'
import { addressOn, isAway, type KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Chip } from '@holdpoint/react/ui/chip'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import { Pencil, Server, ServerOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { useCommand } from '../parts/use-command.ts'
import { useKeepFocus } from '../parts/use-keep-focus.ts'
import { agentWords } from '../text/agent-words.ts'
import { count } from '../text/count.ts'
import { machineName } from './machine-words.ts'
import { RenameForm } from './rename-form.tsx'
import { useMachineLoad } from './use-machine-load.ts'

export interface MachineRowProps {
  readonly machine: KnownMachine
  readonly isOwner: boolean
  /** Whether it can be reached is not known now. */
  readonly isUnknown: boolean
  onGiveUp(): void
  onForget(): void
}

/** One machine: what it is called, how it is, and what an owner can do about it. */
export function MachineRow({ machine, isOwner, isUnknown, onGiveUp, onForget }: MachineRowProps) {
  const client = useClient()
  const row = useRef<HTMLLIElement>(null)
  const [renaming, setRenaming] = useState<'not yet' | 'now' | 'done'>('not yet')
  const draining = useCommand()
  const load = useMachineLoad(machine)
  const name = machineName(machine)
  const away = isAway(machine)
  const Icon = away ? ServerOff : Server
  // Buttons come and go with the machine.
  useKeepFocus(row)
  const mayDrain = !away || machine.isDraining
  return (
    <li ref={row} tabIndex={-1} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3.5 outline-none">
      <Icon aria-hidden className={`mt-0.5 size-5 shrink-0 ${away ? 'text-wait' : 'text-faint'}`} />
      <div className="min-w-0 flex-1 basis-60">
        {renaming === 'now' ? (
          <RenameForm machine={machine} onClose={() => setRenaming('done')} />
        ) : (
          <div className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
            <h2 className="min-w-0 wrap-anywhere">
              <VisibleText text={machine.name} />
            </h2>
            {isOwner && (
              <IconButton
                icon={Pencil}
                label={`Rename ${name}`}
                onClick={() => setRenaming('now')}
                // The field that had the focus has just gone.
                autoFocus={renaming === 'done'}
                className="-my-2.5 pointer-fine:-my-1"
              />
            )}
            {machine.isThis && <Chip tone="accent">this gateway</Chip>}
            {machine.isDraining && <Chip tone="wait">draining</Chip>}
          </div>
        )}
        <p className={`mt-0.5 text-[13px] ${away ? 'text-wait' : 'text-quiet'}`}>
          {away ? (
            <>
              <span className="font-medium">Not reachable.</span> <LastHeard machine={machine} />
            </>
          ) : isUnknown && !machine.isThis ? (
            'State not known'
          ) : (
            'Reachable'
          )}
          {away ? ' ' : ' · '}
          <span className="inline-block text-quiet">
            {load.sessions === 0 ? `${away ? 'No' : 'no'} sessions` : count(load.sessions, 'session')}
            {load.asks > 0 && ` · ${count(load.asks, 'open ask')}`}
          </span>
        </p>
        <p className="text-[13px] text-quiet wrap-anywhere">
          Holdpoint <VisibleText text={machine.version} /> · <Agents agents={machine.agents} />
        </p>
        {!away && <Address machine={machine} />}
        {machine.isDraining && (
          <p className="text-[13px] text-quiet">It takes no new sessions. Those that run there go on.</p>
        )}
        {draining.failure !== undefined && (
          <p role="alert" className="mt-1 text-[13px] text-deny">
            {draining.failure}
          </p>
        )}
      </div>
      {isOwner && (
        <div className="ml-8 flex flex-wrap gap-2 sm:ml-0">
          {mayDrain && (
            <Button
              busy={draining.busy}
              title={machine.isDraining ? undefined : 'It takes no new sessions; those that run there go on'}
              aria-label={`${machine.isDraining ? 'Stop draining' : 'Drain'} ${name}`}
              onClick={() => void draining.run(client.machines.change(machine.id, { isDraining: !machine.isDraining }))}
            >
              {machine.isDraining ? 'Stop draining' : 'Drain'}
            </Button>
          )}
          {away && load.sessions > 0 && (
            <Button variant="deny" aria-label={`Give up ${name}…`} onClick={onGiveUp}>
              Give up…
            </Button>
          )}
          {away && load.sessions === 0 && (
            <Button variant="deny" aria-label={`Forget ${name}…`} onClick={onForget}>
              Forget…
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

function Agents({ agents }: Pick<KnownMachine, 'agents'>) {
  if (agents.length === 0) return 'no agents'
  return <VisibleText text={agents.map((agent) => agentWords(agent).label).join(', ')} />
}

/** Where a browser can go there directly; said as text where no browser should follow it. */
function Address({ machine }: { machine: KnownMachine }) {
  if (machine.address === undefined || machine.isThis) return null
  const address = addressOn(machine, '/')
  return (
    <p className="text-[13px] text-quiet wrap-anywhere">
      {address === undefined ? (
        <VisibleText text={machine.address} code />
      ) : (
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline underline-offset-2 focus-visible:outline-2 focus-visible:outline-accent"
        >
          <VisibleText text={machine.address} code />
        </a>
      )}
    </p>
  )
}
