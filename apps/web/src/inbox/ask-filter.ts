import { render } from '@holdpoint/core/text/visible-text'
import { type KnownMachine, machineOf } from '@holdpoint/react/machines/machine-of'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { FilterOption } from '../parts/filter-select.tsx'
import { groupSessions, projectOf } from '../sessions/session-groups.ts'

/** What narrows the inbox down; empty where nothing is chosen. */
export interface AskFilter {
  readonly words: string
  readonly project: string
  readonly machine: string
  readonly session: string
  readonly kind: string
  readonly tool: string
}

export const NO_FILTER: AskFilter = { words: '', project: '', machine: '', session: '', kind: '', tool: '' }

type Sessions = ReadonlyMap<SessionId, Session>

export function isFiltering(filter: AskFilter): boolean {
  return Object.values(filter).some((value) => value.trim() !== '')
}

/**
 * Which asks a filter shows. It is said once of each ask: a session that gets another title must not move what somebody
 * reads. An ask that is raised again for the same call stays where the first one was.
 */
export function createSieve(
  filter: AskFilter,
  machines: readonly KnownMachine[] = [],
): (ask: Ask, session: Session | undefined) => boolean {
  const said = new Map<AskId, boolean>()
  const wanted = filter.words.toLowerCase().split(/\s+/).filter(Boolean)
  return (ask, session) => {
    const before = said.get(ask.id)
    if (before !== undefined) return before
    const passes =
      (ask.replaces !== undefined && said.get(ask.replaces)) || isWanted(ask, session, filter, wanted, machines)
    said.set(ask.id, passes)
    return passes
  }
}

function isWanted(
  ask: Ask,
  session: Session | undefined,
  filter: AskFilter,
  wanted: readonly string[],
  machines: readonly KnownMachine[],
): boolean {
  if (filter.session !== '' && ask.sessionId !== filter.session) return false
  if (filter.project !== '' && (!session || projectOf(session) !== filter.project)) return false
  if (filter.machine !== '' && machineOf(machines, session)?.id !== filter.machine) return false
  if (filter.kind !== '' && ask.kind !== filter.kind) return false
  if (filter.tool !== '' && ask.tool?.name !== filter.tool) return false
  if (wanted.length === 0) return true
  const text = `${textOf(ask)}\n${session?.title ?? ''}\n${session?.cwd ?? ''}`.toLowerCase()
  return wanted.every((word) => text.includes(word))
}

/** Made once of each ask: somebody who types wants it for every ask with every letter. */
const texts = new WeakMap<Ask, string>()

function textOf(ask: Ask): string {
  const known = texts.get(ask)
  if (known !== undefined) return known
  const { title, tool, context, questions = [], plan, form, agentSays } = ask
  const parts = [
    title,
    tool?.name,
    ...Object.values(context),
    ...Object.values(tool?.input ?? {}).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    ...questions.flatMap(({ question, options }) => [question, ...options.map(({ label }) => label)]),
    plan?.text,
    form?.server,
    form?.message,
    agentSays,
  ]
  const text = parts.filter((part) => part !== undefined).join('\n')
  texts.set(ask, text)
  return text
}

const KINDS: Readonly<Record<Ask['kind'], string>> = {
  approval: 'Approvals',
  question: 'Questions',
  plan: 'Plans',
  form: 'Forms',
}

export interface FilterChoices {
  readonly project: readonly FilterOption[]
  readonly session: readonly FilterOption[]
  readonly kind: readonly FilterOption[]
  readonly tool: readonly FilterOption[]
}

/** What there is to choose among these asks. What is chosen stays a choice, also when its last ask is gone. */
export function choicesOf(asks: readonly Ask[], sessions: Sessions, chosen: AskFilter): FilterChoices {
  const ids = [...new Set(asks.map((ask) => ask.sessionId))]
  const asking = ids.flatMap((id) => sessions.get(id) ?? [])
  const tools = [...new Set(asks.flatMap((ask) => (ask.kind === 'approval' && ask.tool ? [ask.tool.name] : [])))]
  const kinds = new Set(asks.map((ask) => ask.kind))
  const choices = {
    project: groupSessions(asking).map(({ projectId, name }) => ({ value: projectId, label: render(name) })),
    session: asking.map(({ id, title }) => ({ value: id, label: render(title, { prose: true }) })),
    kind: Object.entries(KINDS).flatMap(([value, label]) =>
      kinds.has(value as Ask['kind']) ? [{ value, label }] : [],
    ),
    tool: tools.sort().map((name) => ({ value: name, label: render(name) })),
  }
  const withChosen = (name: keyof FilterChoices) => {
    const value = chosen[name]
    const options = choices[name]
    if (value === '' || options.some((option) => option.value === value)) return options
    const label = (name === 'kind' && KINDS[value as Ask['kind']]) || sessions.get(value as SessionId)?.title || value
    return [...options, { value, label: render(label, { prose: true }) }]
  }
  return {
    project: withChosen('project'),
    session: withChosen('session'),
    kind: withChosen('kind'),
    tool: withChosen('tool'),
  }
}
