import { useMachines } from '@holdpoint/react/hooks/use-machines'
import { isCutOff } from '@holdpoint/react/machines/machine-of'
import { useState } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { ForgetDialog } from './forget-dialog.tsx'
import { GiveUpDialog } from './give-up-dialog.tsx'
import { MachineRow } from './machine-row.tsx'

/** The machines whose gateways share one log: whether they are there, and what to do about one that is not. */
export function MachinesPage() {
  const machines = useMachines()
  const isOwner = useIsOwner()
  const [asked, setAsked] = useState<{ readonly what: 'give-up' | 'forget'; readonly id: string }>()
  const about = machines?.find(({ id }) => id === asked?.id)
  const close = () => setAsked(undefined)
  return (
    <Page
      title="Machines"
      intro="Each runs a gateway and its own agents. All of them show the same asks, and any of them takes your answer. Drain one before an upgrade: it then takes no new sessions."
    >
      {!machines ? (
        <Skeleton />
      ) : machines.length === 0 ? (
        <p className="text-quiet">There is one gateway, and it runs all agents.</p>
      ) : (
        <ul
          aria-label="Machines"
          className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card"
        >
          {machines.map((machine) => (
            <MachineRow
              key={machine.id}
              machine={machine}
              isOwner={isOwner}
              isUnknown={isCutOff(machines)}
              onGiveUp={() => setAsked({ what: 'give-up', id: machine.id })}
              onForget={() => setAsked({ what: 'forget', id: machine.id })}
            />
          ))}
        </ul>
      )}
      {about && asked?.what === 'give-up' && <GiveUpDialog machine={about} onClose={close} />}
      {about && asked?.what === 'forget' && <ForgetDialog machine={about} onClose={close} />}
    </Page>
  )
}
