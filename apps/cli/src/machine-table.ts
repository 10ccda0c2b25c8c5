import type { Machine } from '@holdpoint/schema/endpoints/machines'
import { shortId } from './abbreviation.ts'
import type { Width } from './console/fence.ts'
import { tableLines } from './console/table.ts'
import { terminalText } from './console/terminal-text.ts'
import { ageWords } from './console/time-words.ts'

/** Longer ones were not heard of since the gateways began to count. */
const LONG_AGO_MS = 10 * 365 * 86_400_000

/** Machines, one line each. */
export function machineTable(machines: readonly Machine[], width: Width): string[] {
  const ids = machines.map(({ id }) => id)
  const rows = machines.map((machine) => [
    shortId(machine.id, ids),
    terminalText(machine.name),
    stateWords(machine),
    heardWords(machine),
    terminalText(machine.version),
    machine.agents.map(terminalText).join(', ') || '-',
  ])
  return tableLines(['ID', 'NAME', 'STATE', 'HEARD OF', 'VERSION', 'AGENTS'], rows, width)
}

function stateWords({ isReachable, isDraining, isThis }: Machine): string {
  return [
    isReachable ? 'reachable' : 'not reachable',
    ...(isDraining ? ['draining'] : []),
    ...(isThis ? ['this one'] : []),
  ].join(', ')
}

/** A gateway that was stopped says so, and is not heard of from then on. */
function heardWords({ beatAgeMs }: Machine): string {
  return beatAgeMs > LONG_AGO_MS ? 'stopped' : `${ageWords(beatAgeMs)} ago`
}
