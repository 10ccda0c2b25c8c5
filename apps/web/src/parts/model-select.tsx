import { render } from '@holdpoint/core/text/visible-text'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { OfferedModel } from '@holdpoint/schema/offers'
import { useState } from 'react'
import { INPUT } from './field.tsx'

/** What no model is called: a name has no blank at its start. */
const ANOTHER = ' '

export interface ModelSelectProps {
  /** As the agent itself names them. */
  readonly models: readonly OfferedModel[]
  /** The name of one, or '' for none. */
  readonly value: string
  /** What none means, where none can be chosen. */
  readonly none?: string | undefined
  readonly id?: string
  onChange(model: string): void
}

/** A model out of those that the agent names, or another one by its name; a plain field where the agent has named none yet. */
export function ModelSelect({ models, value, none, id, onChange }: ModelSelectProps) {
  const isOffered = value === '' || models.some((model) => model.value === value)
  const [isTyping, setIsTyping] = useState(false)
  const field = (
    <input
      id={models.length === 0 ? id : undefined}
      aria-label={models.length === 0 && id !== undefined ? undefined : 'Name of the model'}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      placeholder={none ?? 'The agent’s default'}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      className={INPUT}
    />
  )
  if (models.length === 0) return field
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <select
        id={id}
        aria-label={id === undefined ? 'Model' : undefined}
        value={isTyping || !isOffered ? ANOTHER : value}
        onChange={({ target }) => {
          setIsTyping(target.value === ANOTHER)
          onChange(target.value === ANOTHER ? '' : target.value)
        }}
        className={INPUT}
      >
        {none !== undefined && <option value="">{none}</option>}
        {models.map((model) => (
          <option key={model.value} value={model.value}>
            {render(model.name, { prose: true })}
          </option>
        ))}
        <option value={ANOTHER}>Another, by its name…</option>
      </select>
      {(isTyping || !isOffered) && field}
    </div>
  )
}

/** What the agent says of the model. */
export function ModelWords({ models, value }: Pick<ModelSelectProps, 'models' | 'value'>) {
  const description = models.find((model) => model.value === value)?.description
  return description === undefined ? undefined : <VisibleText text={description} />
}
