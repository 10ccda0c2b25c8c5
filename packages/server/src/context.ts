import type { Broker } from '@holdpoint/core/broker'
import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { Attachments } from './attachments.ts'
import type { Devices } from './auth/devices.ts'
import type { EventLoopLag } from './event-loop-lag.ts'
import type { Connections } from './http/connections.ts'
import type { Unread } from './http/unread.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { RecordCheck } from './record-check.ts'
import type { FanOut } from './stream/fan-out.ts'
import type { PartialTexts } from './stream/partial-texts.ts'
import type { Conversations } from './terminals/conversations.ts'
import type { TrustedFolders } from './trusted-folders.ts'

/** What the routes and streams work with. Made once, in `gateway.ts`. */
export interface Context {
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
  readonly ledger: Ledger
  readonly broker: Broker
  readonly sessions: Sessions
  readonly devices: Devices
  readonly attachments: Attachments
  readonly trustedFolders: TrustedFolders
  readonly fanOut: FanOut
  readonly partialTexts: PartialTexts
  readonly metrics: Metrics
  readonly recordCheck: RecordCheck
  readonly lag: EventLoopLag
  readonly dataDir: string
  /** What sessions can be started with. */
  readonly agents: readonly string[]
  /** How long an ask may wait in sessions that do not say; for ever where it is left out. */
  readonly askTimeoutMs?: number
  /** Makes a folder for a session that was started without one, for agents that bring their own. */
  readonly scratchFolder: (agent: string) => Promise<string | undefined>
  /** Address that links carry. */
  readonly publicUrl: () => string
  readonly connections: Connections
  readonly unread: Unread
  /** Left out where nobody may look at what Claude Code keeps on this machine. */
  readonly conversations?: Conversations
}
