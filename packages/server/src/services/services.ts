import type { ClaudeProcesses } from '@holdpoint/agents/claude/hooks/claude-process'
import type { Broker } from '@holdpoint/core/broker'
import type { Clock } from '@holdpoint/core/clock'
import type { ActionOfCall, WantedCall } from '@holdpoint/core/driver'
import type { Ledger } from '@holdpoint/core/ledger'

import type { Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { NewId } from '@holdpoint/schema/id'
import type { OpenAskNotices } from '../attention/ask-notices.ts'
import type { Presence } from '../attention/presence.ts'
import type { Attempts } from '../auth/attempts.ts'
import type { Devices } from '../auth/devices.ts'
import type { PageProofs } from '../auth/page-proofs.ts'
import type { Tickets } from '../auth/tickets.ts'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import type { Machines } from '../cluster/machines.ts'
import type { OtherPolicyFiles } from '../policy/other-policy-files.ts'
import type { PastCallsService } from '../policy/past-calls.ts'
import type { GatewayPolicy } from '../policy/policy.ts'
import type { PolicyFile } from '../policy/policy-file.ts'
import type { PolicyRules } from '../policy/policy-rules.ts'
import type { ReadRepositoryPolicy } from '../policy/repository-policy.ts'
import type { RuleMaking } from '../policy/rule-making.ts'
import type { RuleUses } from '../policy/rule-uses.ts'
import type { FanOut } from '../stream/fan-out.ts'
import type { PartialTexts } from '../stream/partial-texts.ts'
import type { EventLoopLag } from '../system/event-loop-lag.ts'
import type { Log } from '../system/log.ts'
import type { Conversations } from '../terminals/conversations.ts'
import type { HookWaits } from '../terminals/hook-waits.ts'
import type { KeyedInputs } from '../terminals/keyed-inputs.ts'
import type { RecentAsks } from '../terminals/recent-asks.ts'
import type { TerminalAccess } from '../terminals/terminal-access.ts'
import type { Connections } from '../transport/connections.ts'
import type { Received } from '../transport/received.ts'
import type { Unread } from '../transport/unread.ts'
import type { TrustWatch } from '../trust/trust-watch.ts'
import type { TrustedFolders } from '../trust/trusted-folders.ts'
import type { Attachments } from './attachments.ts'
import type { ChangedFilesService } from './changed-files.ts'
import type { HistoryIndex } from './history-index.ts'
import type { KeyedStarts } from './keyed-starts.ts'
import type { KnownModels } from './known-models.ts'
import type { Metrics } from './metrics.ts'
import type { ProgramSessions } from './program-sessions.ts'
import type { RecordCheck } from './record-check.ts'
import type { RetentionWork } from './retention.ts'
import type { RetentionSettings } from './retention-settings.ts'
import type { SessionDeletion } from './session-deletion.ts'
import type { TimeLimitSettings } from './time-limit-settings.ts'

/** All services of a gateway, one of each. Routes and dialects take the part that they use, as a `Pick` of this. */
export interface Services {
  readonly clock: Clock
  readonly log: Log
  readonly newId: NewId
  readonly store: Store
  /** Those that all gateways share. */
  readonly records: FollowedRecords
  /** Those of this machine. */
  readonly ownRecords: FollowedRecords
  readonly ledger: Ledger
  readonly broker: Broker
  /** Those of all machines. */
  readonly sessions: Sessions
  readonly machines: Machines
  readonly devices: Devices
  readonly tickets: Tickets
  readonly pageProofs: PageProofs
  readonly loginAttempts: Attempts
  readonly attachments: Attachments
  readonly trustedFolders: TrustedFolders
  readonly trustWatch: TrustWatch
  readonly knownModels: KnownModels
  readonly keyedStarts: KeyedStarts
  readonly askNotices: OpenAskNotices
  readonly presence: Presence
  readonly programSessions: ProgramSessions
  readonly policy: GatewayPolicy
  readonly policyRules: PolicyRules
  readonly pastCalls: PastCallsService
  readonly policyFile: PolicyFile
  readonly otherPolicyFiles: OtherPolicyFiles
  readonly repositoryPolicy: ReadRepositoryPolicy
  /** Names of the tools that agents here are known to have. */
  readonly toolNames: ReadonlySet<string>
  readonly ruleUses: RuleUses
  readonly ruleMaking: RuleMaking
  /** What a call of this kind of agent does, for the policy. */
  readonly actionOf: (agent: string, call: WantedCall) => ActionOfCall
  readonly timeLimits: TimeLimitSettings
  readonly retention: RetentionWork
  readonly retentionSettings: RetentionSettings
  readonly sessionDeletion: SessionDeletion
  readonly fanOut: FanOut
  readonly partialTexts: PartialTexts
  readonly connections: Connections
  readonly unread: Unread
  readonly received: Received
  readonly metrics: Metrics
  readonly recordCheck: RecordCheck
  readonly historyIndex: HistoryIndex
  readonly lag: EventLoopLag
  readonly terminalAccess: TerminalAccess
  readonly claudeProcesses: ClaudeProcesses
  readonly hookWaits: HookWaits
  readonly keyedInputs: KeyedInputs
  readonly recentAsks: RecentAsks
  /** Left out where nobody looks at the files of sessions. */
  readonly changedFiles?: ChangedFilesService
  /** Left out where nobody may look at what Claude Code keeps on this machine. */
  readonly conversations?: Conversations
}
