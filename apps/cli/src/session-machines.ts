import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import { type Api, ApiError } from './api.ts'
import { shortened } from './console/fence.ts'
import { terminalText } from './console/terminal-text.ts'

const COLUMNS = 20

/** What the machine of each session is called. */
export type SessionMachines = ReadonlyMap<Session['id'], string>

/** Undefined where there are not several machines, or this credential may not list them. */
export async function machinesOf(
  api: Api,
  sessions: readonly Pick<Session, 'id' | 'node'>[],
): Promise<SessionMachines | undefined> {
  const { machines } = await api.call(paths.machines.list, {}).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'forbidden') return { machines: [] }
    throw error
  })
  if (machines.length < 2) return undefined
  const names = new Map<string | undefined, string>(machines.map(({ id, name }) => [id, name]))
  const home = machines.find(({ isHome }) => isHome)?.name
  return new Map(
    sessions.map(({ id, node }) => [id, (node === undefined ? home : names.get(node)) ?? 'a forgotten machine']),
  )
}

/** For a table. */
export function machineWord(machines: SessionMachines, id: Session['id']): string {
  return shortened(terminalText(machines.get(id) ?? '-'), COLUMNS)
}
