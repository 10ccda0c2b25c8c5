import type { Context } from '../context.ts'
import { createAskUser } from './ask-user/ask-user.ts'
import { DIALECTS, type Dialect, type DialectName } from './dialect.ts'
import { createPermission } from './permission/permission.ts'
import { createProcessState } from './process-state/process-state.ts'
import { createTurnStream } from './turn-stream/turn-stream.ts'

const CREATE: Record<DialectName, (context: Context) => Dialect> = {
  'process-state': createProcessState,
  'ask-user': createAskUser,
  permission: createPermission,
  'turn-stream': createTurnStream,
}

export function createDialects(context: Context, names: readonly DialectName[] = DIALECTS): readonly Dialect[] {
  return names.map((name) => CREATE[name](context))
}
