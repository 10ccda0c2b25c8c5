import { createHash, randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import { createClaudeProcesses } from '@holdpoint/agents/claude/hooks/claude-process'
import { createProgramDriver } from '@holdpoint/agents/programs/program-driver'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import { type BrokerDeps, createBroker } from '@holdpoint/core/broker'
import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { ActionOfCall, AgentDriver, WantedCall } from '@holdpoint/core/driver'
import { createLedger } from '@holdpoint/core/ledger'
import { checkRule } from '@holdpoint/core/policy/check-rule'
import { createSessions, type SessionsDeps } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { LiveEvent } from '@holdpoint/schema/event'
import { type AskId, idMaker, type RuleId, type SessionId } from '@holdpoint/schema/id'
import type { Limit } from '@holdpoint/schema/time-limit'
import { createOpenAskNotices } from './attention/ask-notices.ts'
import { createPresence } from './attention/presence.ts'
import { presenceEverywhere } from './attention/presence-everywhere.ts'
import { createAttempts } from './auth/attempts.ts'
import { createDevices } from './auth/devices.ts'
import { createPageProofs } from './auth/page-proofs.ts'
import { createTickets } from './auth/tickets.ts'
import type { ChangeStore } from './changes/change-store.ts'
import { followRecords } from './cluster/followed-records.ts'
import { createLiveReceiver } from './cluster/live-receiver.ts'
import { createLiveSender } from './cluster/live-sender.ts'
import { createMachines } from './cluster/machines.ts'
import { createNodeMessages } from './cluster/node-messages.ts'
import { recordsOfNode } from './cluster/node-records.ts'
import { sessionsEverywhere } from './cluster/sessions-everywhere.ts'
import type { DriverTools } from './driver-tools.ts'
import { removeRulesOfEndedSessions } from './policy/ended-session-rules.ts'
import { createOtherPolicyFiles } from './policy/other-policy-files.ts'
import { createPastCalls } from './policy/past-calls.ts'
import { createPolicy } from './policy/policy.ts'
import { createPolicyFile } from './policy/policy-file.ts'
import { createPolicyRules } from './policy/policy-rules.ts'
import { createRepositoryPolicies } from './policy/repository-policy.ts'
import { createRuleMaking } from './policy/rule-making.ts'
import { createRuleUses } from './policy/rule-uses.ts'
import { createAttachmentFiles } from './services/attachment-files.ts'
import { createAttachments } from './services/attachments.ts'
import { createChangedFiles } from './services/changed-files.ts'
import { createHistoryIndex } from './services/history-index.ts'
import { createKeyedStarts } from './services/keyed-starts.ts'
import { createKnownModels } from './services/known-models.ts'
import { createLastPosition } from './services/last-position.ts'
import { createLeaving } from './services/leaving.ts'
import { liveConversations } from './services/live-conversations.ts'
import { logTrouble } from './services/log-trouble.ts'
import { warnOfManyOpenAsks } from './services/many-open-asks.ts'
import { createMetrics } from './services/metrics.ts'
import { endRulesOfOlderRecord } from './services/older-record.ts'
import { createProgramSessions } from './services/program-sessions.ts'
import { createRecordCheck } from './services/record-check.ts'
import { resumeClosed } from './services/resume-closed.ts'
import type { Services } from './services/services.ts'
import { createTimeLimitSettings } from './services/time-limit-settings.ts'
import { createFanOut } from './stream/fan-out.ts'
import { createPartialTexts } from './stream/partial-texts.ts'
import { createEventLoopLag } from './system/event-loop-lag.ts'
import type { Log } from './system/log.ts'
import { pooledRandomBytes } from './system/pooled-random.ts'
import { systemClock } from './system/system-clock.ts'
import { together } from './system/together.ts'
import { attachedSessions } from './terminals/attached-sessions.ts'
import { createConversations } from './terminals/conversations.ts'
import { createHookWaits } from './terminals/hook-waits.ts'
import { createKeyedInputs } from './terminals/keyed-inputs.ts'
import { createRecentAsks } from './terminals/recent-asks.ts'
import { createTerminalAccess } from './terminals/terminal-access.ts'
import { forgetTerminalProgram } from './terminals/terminal-programs.ts'
import { type ConnectionLimits, createConnections } from './transport/connections.ts'
import { createReceived } from './transport/received.ts'
import { createUnread } from './transport/unread.ts'
import { createTrustWatch } from './trust/trust-watch.ts'
import { createTrustedFolders, TRUSTED_FOLDERS } from './trust/trusted-folders.ts'

export interface ServicesOptions extends Pick<SessionsDeps, 'idleMs' | 'parkMs' | 'wasStopped'> {
  readonly dataDir: string
  readonly token?: string
  readonly limits: ConnectionLimits
  /** How long an ask may wait in sessions that do not say, where nothing else is set; for ever where it is left out. */
  readonly timeLimit?: Limit
  /** Ended sessions that have not changed for so many days move to the archive; none do unless given or set. */
  readonly keepDays?: number
  /** `host:port`: private places, or places without TLS, that notifications may be sent to; none unless given (T51). */
  readonly notifyAllow?: readonly string[]
  readonly log: Log
  readonly clock?: Clock
  readonly store: Store
  /** The other gateways on the same log. Left out: there are none. */
  readonly cluster?: Cluster
  /** Where files are kept that people send along; in the data folder unless given. */
  readonly attachmentBytes?: AttachmentBytes
  /** Aborts when another gateway has the data folder: the store takes and gives nothing from then on. */
  readonly lost?: AbortSignal
  /** What can be run. Drivers get what they need to read attachments, and to tell whose agent a process is. */
  readonly drivers: (tools: DriverTools) => readonly AgentDriver[]
  /** What a call does, of agents that no driver is for: a program that embeds us brings its own. */
  readonly actionOf?: (call: WantedCall) => ActionOfCall
  readonly whatChanged?: BrokerDeps['whatChanged']
  /** The owner's policy file, absolute; `policy.json` in the data folder unless given. */
  readonly policyFile?: string
  /** Files and folders besides the data folder that no rule allows to write, absolute (T71). */
  readonly guarded?: readonly string[]
  /** Folders inside of those that are like any other, absolute. */
  readonly unguarded?: readonly string[]
  /** What runs in terminals of this machine, and what Claude Code keeps of its conversations; neither unless given. */
  readonly terminals?: TerminalsOptions
  /** Keeps what sessions change in their folders; nobody does unless given. */
  readonly changes?: ChangeStore
}

interface TerminalsOptions {
  readonly attached: AttachedAgents
  /** Claude Code's `projects` folder. */
  readonly projects: string
}

/** Makes the services of a gateway and connects them with each other. */
export async function createServices(options: ServicesOptions) {
  const { dataDir, store, log, cluster, clock = systemClock } = options
  const records = followRecords(store.records, cluster)
  const ownRecords = recordsOfNode(records, cluster)
  const newId = idMaker({ now: clock.now, randomBytes: pooledRandomBytes() })
  const { warn } = log
  const machines = createMachines(cluster)
  const ledger = createLedger({ store, clock, warn, ...(cluster && { others: cluster }) })
  await ledger.load()
  const lost = options.lost && { lost: options.lost }
  const lastPosition = createLastPosition({ dataDir, ledger, store, clock, warn, ...lost })
  const isOlder = await lastPosition.isLost()
  const isAnswered = async (askId: AskId, rule: RuleId) => (await store.ask(askId))?.outcome?.rule === rule
  const epochOf = (id: SessionId) => ledger.views().get(id)?.session.epoch
  const policyRules = await createPolicyRules({
    records,
    ownRecords,
    newId,
    now: clock.now,
    epochOf,
    check: checkRule,
    warn,
    isAnswered,
  })
  if (isOlder) await endRulesOfOlderRecord({ ledger, policyRules, newId, log })
  const isOurs = async (id: SessionId) => {
    const session = cluster ? (ledger.views().get(id)?.session ?? (await unlessDamaged(store.session(id)))) : undefined
    return !cluster || (session !== undefined && machines.isOurs(session))
  }
  await removeRulesOfEndedSessions({ ledger, rules: policyRules, isOurs, warn })
  const guarded = [dataDir, ...(options.guarded ?? [])]
  const policyFile = await createPolicyFile({
    path: options.policyFile ?? join(dataDir, 'policy.json'),
    isNamed: options.policyFile !== undefined,
    records,
    log,
    isOlder,
    ...(cluster && { cluster }),
  })
  const otherPolicyFiles = await createOtherPolicyFiles(records, cluster)
  // Only now: a gateway that is killed before this has to find again that the record is an older one.
  await lastPosition.keep()
  const savedRules = () => [...policyRules.list(), ...policyFile.list(), ...otherPolicyFiles.list()]
  const { subscribe } = policyRules
  const ruleUses = await createRuleUses({
    records,
    clock,
    rules: { list: savedRules, subscribe },
    warn,
    ...(cluster && { cluster }),
    isOurs(id) {
      const session = ledger.views().get(id)?.session
      return !cluster || (session !== undefined && machines.isOurs(session))
    },
  })
  const repositoryPolicy = createRepositoryPolicies(dataDir)
  const policy = createPolicy({
    rules: policyRules,
    file: policyFile,
    otherFiles: otherPolicyFiles,
    repositoryPolicy,
    guarded,
    unguarded: options.unguarded ?? [],
    home: homedir(),
    now: clock.now,
  })
  const broker = createBroker({
    ledger,
    store,
    clock,
    newId,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    policy,
    isOurs: machines.isOurs,
    isTyped: (agent) => drivers.get(agent)?.isTyped === true,
    prepareRule: (ask, answer, actor) => ruleMaking.prepare(ask, answer, actor),
    recheck: (ask, answer) => ownSessions.recheck(ask, answer),
    ...(cluster && { authority: cluster.authority }),
    ...(options.whatChanged && { whatChanged: options.whatChanged }),
  })
  // Before anybody can call: until then an open ask would be one that there is not.
  broker.resume()
  warnOfManyOpenAsks(ledger, warn)
  const attachments = createAttachments({
    bytes: options.attachmentBytes ?? createAttachmentFiles(join(dataDir, 'attachments')),
    records,
    newId,
  })
  const timeLimits = await createTimeLimitSettings({ records, log, ofGateway: options.timeLimit })
  // No pause from here to where it hears of the ledger: other gateways write meanwhile.
  const fanOut = createFanOut({ now: () => performance.now(), seq: ledger.seq() })
  const onPolicyChanged = together(clock, () => fanOut.notify('policy-changed'))
  policyRules.subscribe(onPolicyChanged)
  policyFile.subscribe(onPolicyChanged)
  otherPolicyFiles.subscribe(onPolicyChanged)
  const partialTexts = createPartialTexts()
  const recordCheck = createRecordCheck({ store, clock, log, isOlder, ...lost })
  const lag = createEventLoopLag(clock)
  const metrics = createMetrics({ ledger, clients: () => fanOut.size(), record: recordCheck.state, lagMs: lag.ms })
  const trustedFolders = createTrustedFolders(ownRecords, (node) => recordsOfNode(records, cluster, node))
  const { watchedFiles } = trustedFolders
  const given = options.drivers({ attachments, ...liveConversations({ ledger, machines }), watchedFiles })
  const programs = createProgramDriver()
  const attached = options.terminals ? [options.terminals.attached.driver] : []
  const all = [...given, ...attached, programs.driver]
  const drivers = new Map(all.map((driver) => [driver.agent, driver]))
  const actionOf: Services['actionOf'] = (agent, call) =>
    (drivers.get(agent) ?? options).actionOf?.(call) ?? { action: { type: 'tool' } }
  const ruleMaking = createRuleMaking({ ledger, policy, rules: policyRules, actionOf, now: clock.now })
  cluster?.onNodes(together(clock, () => fanOut.notify('machines-changed')))
  const showLive = (event: LiveEvent) => {
    partialTexts.onLive(event)
    fanOut.publishLive(event)
  }
  const messages = cluster && createNodeMessages(cluster)
  const liveSender = messages && createLiveSender({ ledger, machines, messages, clock })
  const liveReceiver =
    messages && createLiveReceiver({ ledger, machines, messages, clock, isWanted: fanOut.isWanted, publish: showLive })
  const publishLive = (event: LiveEvent) => {
    showLive(event)
    liveSender?.onLive(event)
  }
  const ownSessions = createSessions({
    ledger,
    broker,
    store,
    clock,
    newId,
    newUuid: randomUUID,
    drivers,
    publishLive,
    beforeTurn: async (id) => void (await Promise.all([trustWatch.beforeTurn(id), changedFiles?.beforeTurn(id)])),
    warn,
    timeLimits: timeLimits.inForce,
    ...(cluster && { node: cluster.node }),
    isOurs: machines.isOurs,
    idleMs: options.idleMs,
    ...(options.parkMs !== undefined && { parkMs: options.parkMs }),
    ...(options.wasStopped && { wasStopped: options.wasStopped }),
  })
  const sessions = sessionsEverywhere({ sessions: ownSessions, ledger, machines })
  const knownModels = createKnownModels({ records: ownRecords, ledger, ownSessions, machines, warn })
  ledger.subscribe((stored) => {
    partialTexts.onStored(stored)
    fanOut.publish(stored)
    metrics.onStored(stored)
    ruleUses.onStored(stored)
    logTrouble(log, stored)
    liveSender?.onStored(stored)
    liveReceiver?.onStored(stored)
  })
  const elsewhere = cluster && messages && presenceEverywhere({ cluster, messages, clock })
  const changedFiles =
    options.changes && createChangedFiles({ ledger, changes: options.changes, isOurs: machines.isOurs, clock, warn })
  const askNotices = createOpenAskNotices({ ledger, store, warn })
  const devices = await createDevices({
    records,
    clock,
    newId,
    ...(options.token !== undefined && { token: options.token }),
  })
  const connections = createConnections(options.limits)
  devices.onRevoked((id) => connections.closeAll(id))
  const trustWatch = createTrustWatch({ ledger, sessions, trustedFolders, isOurs: machines.isOurs, newId, log })
  // Somebody has revoked it at another gateway. What it has to do for that, nobody waits for: each call looks at the record.
  ownRecords.follow?.(TRUSTED_FOLDERS, async (folder) => void trustWatch.check(folder))
  resumeClosed({ ledger, sessions, store, trustedFolders, isOurs: machines.isOurs, log })
  const terminalAccess = await createTerminalAccess({
    dataDir,
    records: ownRecords,
    machine: machines.list()?.find(({ id }) => id === machines.node)?.name,
    devices,
  })
  options.terminals?.attached.connect(attachedSessions({ ledger, sessions, store, machines }))

  const pastCalls = createPastCalls({
    store,
    rules: { list: savedRules },
    actionOf,
    home: homedir(),
    guarded,
    now: clock.now,
  })
  const historyIndex = createHistoryIndex({ store, pastCalls, ledger, clock, log })

  const kept = { store, ledger, clock, log, records, ownRecords, cluster, keepDays: options.keepDays }
  const erasers = [
    attachments.removeOf,
    async (id: SessionId) => changedFiles?.remove(id),
    (id: SessionId) => forgetTerminalProgram(ownRecords, id),
  ]
  const leaving = await createLeaving({ ...kept, erasers })

  const services: Services = {
    clock,
    log,
    newId,
    store,
    records,
    ownRecords,
    ledger,
    broker,
    sessions,
    machines,
    devices,
    tickets: createTickets({ clock, devices }),
    pageProofs: createPageProofs(records),
    loginAttempts: createAttempts({ monotonic: clock.monotonic, perSource: 5, overall: 30 }),
    attachments,
    trustedFolders,
    trustWatch,
    knownModels,
    keyedStarts: createKeyedStarts(records),
    askNotices,
    presence: elsewhere ?? createPresence(),
    programSessions: createProgramSessions({ ledger, store, sessions, programs, clock }),
    policy,
    policyRules,
    pastCalls,
    timeLimits,
    ...leaving,
    policyFile,
    otherPolicyFiles,
    repositoryPolicy,
    toolNames: new Set(all.flatMap(({ toolNames = [] }) => toolNames)),
    ruleUses,
    ruleMaking,
    actionOf,
    fanOut,
    partialTexts,
    connections,
    unread: createUnread(),
    received: createReceived(),
    metrics,
    recordCheck,
    historyIndex,
    lag,
    terminalAccess,
    claudeProcesses: createClaudeProcesses(),
    hookWaits: createHookWaits({ clock, devices, access: terminalAccess }),
    keyedInputs: createKeyedInputs(ownRecords),
    recentAsks: createRecentAsks({ ledger, clock }),
    ...(changedFiles && { changedFiles }),
    ...(options.terminals && { conversations: createConversations(options.terminals.projects) }),
  }

  return {
    services,
    ownSessions,
    /** What gateways tell each other; undefined where there is one. */
    messages,
    /** The names of all drivers. */
    agents: [...drivers.keys()],
    /** Ends streams at once, then finishes commits. */
    async close(): Promise<void> {
      fanOut.close()
      liveSender?.close()
      liveReceiver?.close()
      elsewhere?.close()
      recordCheck.close()
      historyIndex.close()
      await leaving.retention.close()
      lag.close()
      await sessions.close()
      await changedFiles?.close()
      options.terminals?.attached.close()
      await ledger.close()
      await knownModels.close()
      await ruleUses.close()
      await lastPosition.close()
      broker.close()
      await devices.close()
    },
  }
}
