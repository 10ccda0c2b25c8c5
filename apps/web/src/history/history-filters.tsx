import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { ListFilter } from 'lucide-react'
import { useCallback, useId, useState } from 'react'
import { machineOptions } from '../machines/machine-words.ts'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { FilterSelect } from '../parts/filter-select.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { type HistoryChoice, NO_CHOICE, OUTCOMES, PERIODS } from './history-query.ts'

interface HistoryFiltersProps {
  readonly choice: HistoryChoice
  onChange(choice: HistoryChoice): void
}

/** What narrows a search down. Behind a button on a phone, where it would fill the screen. */
export function HistoryFilters({ choice, onChange }: HistoryFiltersProps) {
  const client = useClient()
  const { remote } = useRemote(useCallback(() => client.historyChoices(), [client]))
  const { tools, projects, devices } =
    remote.state === 'ready' ? remote.value : { tools: [], projects: [], devices: [] }
  const machines = useSeveralMachines()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const count = Object.values(choice).filter((value) => value !== '').length
  const named = (values: readonly string[]) => values.map((value) => ({ value, label: render(value) }))
  const filter = (name: keyof HistoryChoice) => ({
    value: choice[name],
    onChange: (value: string) => onChange({ ...choice, [name]: value }),
  })
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 sm:hidden">
        <Button icon={ListFilter} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {count === 0 ? 'Filter' : `Filter (${count})`}
        </Button>
        {count > 0 && (
          <Button variant="quiet" onClick={() => onChange(NO_CHOICE)}>
            Clear
          </Button>
        )}
      </div>
      <div
        id={id}
        className={`grid grid-cols-2 gap-2 sm:grid sm:grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] ${machines.length > 0 ? 'lg:grid-cols-3' : 'lg:grid-cols-5'} ${isOpen ? '' : 'max-sm:hidden'}`}
      >
        <FilterSelect label="Outcome" any="Any outcome" options={OUTCOMES} {...filter('outcome')} />
        <FilterSelect label="Time" any="Any time" options={PERIODS} {...filter('period')} />
        <FilterSelect label="Tool" any="Any tool" options={named(tools)} {...filter('tool')} />
        <FilterSelect label="Project" any="Any project" options={named(projects)} {...filter('project')} />
        <FilterSelect
          label="Device"
          any="Any device"
          options={devices.map(({ id: value, name }) => ({ value, label: render(name, { prose: true }) }))}
          {...filter('device')}
        />
        {machines.length > 0 && (
          <FilterSelect label="Machine" any="Any machine" options={machineOptions(machines)} {...filter('machine')} />
        )}
      </div>
    </>
  )
}
