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
  // Without its database a gateway hears of nobody, not even of itself.
  const isCutOff = machines.some(({ isReachable, isThis }) => isThis && !isReachable)
  const rows = machines.map((machine) => [
    shortId(machine.id, ids),
    terminalText(machine.name),
    stateWords(machine, isCutOff),
    heardWords(machine),
    terminalText(machine.version),
    machine.agents.map(terminalText).join(', ') || '-',
  ])
  return [
    ...tableLines(['ID', 'NAME', 'STATE', 'LAST HEARD', 'VERSION', 'AGENTS'], rows, width),
    ...(isCutOff ? ['The gateway cannot reach its database: no answer can be recorded, and agents wait.'] : []),
  ]
}

function stateWords({ isReachable, isDraining, isThis }: Machine, isCutOff: boolean): string {
  return [
    isCutOff ? 'not known' : isReachable ? 'reachable' : 'not reachable',
    ...(isDraining ? ['draining'] : []),
    ...(isThis ? ['this gateway'] : []),
  ].join(', ')
}

/** A gateway that was stopped says so, and is not heard of from then on. */
function heardWords({ beatAgeMs }: Machine): string {
  return beatAgeMs > LONG_AGO_MS ? 'stopped' : `${ageWords(beatAgeMs)} ago`
}
