import type { Services } from '../services/services.ts'
import { createAskUser } from './ask-user/ask-user.ts'
import { createPermission } from './permission/permission.ts'
import { createProcessState } from './process-state/process-state.ts'
import { DIALECTS, type Dialect, type DialectName } from './shared/dialect.ts'
import { createTurnStream } from './turn-stream/turn-stream.ts'

const CREATE: Record<DialectName, (services: Services) => Dialect> = {
  'process-state': createProcessState,
  'ask-user': createAskUser,
  permission: createPermission,
  'turn-stream': createTurnStream,
}

export function createDialects(services: Services, names: readonly DialectName[] = DIALECTS): readonly Dialect[] {
  return names.map((name) => CREATE[name](services))
}
