import type { Context } from '../context.ts'
import { DIALECTS, type Dialect, type DialectName } from './dialect.ts'

const CREATE: Record<DialectName, (context: Context) => Dialect> = {
  'process-state': () => ({ routes: [], sockets: [] }),
  'ask-user': () => ({ routes: [], sockets: [] }),
  permission: () => ({ routes: [], sockets: [] }),
  'turn-stream': () => ({ routes: [], sockets: [] }),
}

export function createDialects(context: Context, names: readonly DialectName[] = DIALECTS): readonly Dialect[] {
  return names.map((name) => CREATE[name](context))
}
