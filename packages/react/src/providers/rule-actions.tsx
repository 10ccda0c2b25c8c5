import type { RuleId } from '@holdpoint/schema/id'
import { type ComponentType, createContext, type ReactNode, useContext } from 'react'

export interface RuleActionsProps {
  readonly rules: readonly RuleId[]
  /** Whether they have decided: then an owner may want to end that. */
  readonly decided: boolean
}

const RuleActionsContext = createContext<ComponentType<RuleActionsProps> | undefined>(undefined)

interface RuleActionsProviderProps {
  /** The app's own way from an outcome to its rules: a link, a button that ends them. */
  readonly actions: ComponentType<RuleActionsProps>
  readonly children: ReactNode
}

/** Without it, cards and lines name what a rule says, and lead nowhere. */
export function RuleActionsProvider({ actions, children }: RuleActionsProviderProps) {
  return <RuleActionsContext value={actions}>{children}</RuleActionsContext>
}

export function RuleActions(props: RuleActionsProps) {
  const Actions = useContext(RuleActionsContext)
  return Actions && props.rules.length > 0 ? <Actions {...props} /> : null
}
