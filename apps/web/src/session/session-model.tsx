import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { Session } from '@holdpoint/schema/session'
import { type FormEvent, useState } from 'react'
import { useModels } from '../new-session/use-models.ts'
import { ModelSelect, ModelWords } from '../parts/model-select.tsx'
import { useCommand } from '../parts/use-command.ts'

/** Changes the model, to one that the agent names or to another one. */
export function SessionModel({ session }: { session: Session }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const offered = useModels(session.agent, session.node)
  const current = session.model
  const isOffered = current === undefined || offered.some(({ value }) => value === current)
  // What runs may be known by a longer name than the one that it was chosen by.
  const models = isOffered || offered.length === 0 ? offered : [{ value: current, name: current }, ...offered]
  const [chosen, choose] = useState(current ?? '')
  const wanted = chosen.trim()
  const isChanged = wanted !== '' && wanted !== current
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged) void run(client.setModel(session.id, wanted))
  }
  return (
    <form onSubmit={onSubmit} className="min-w-0 flex-1">
      <span className="flex items-end gap-2">
        <ModelSelect
          models={models}
          value={chosen}
          none={current === undefined ? 'The agent’s default' : undefined}
          onChange={choose}
        />
        {isChanged && (
          <Button type="submit" busy={busy}>
            Change
          </Button>
        )}
      </span>
      <span className="mt-1 block text-xs text-quiet empty:hidden">
        <ModelWords models={models} value={chosen} />
      </span>
      {failure && (
        <span role="alert" className="mt-1 block text-xs text-deny">
          {failure}
        </span>
      )}
    </form>
  )
}
