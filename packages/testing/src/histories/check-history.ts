import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { GivenAnswer, RequestKey, RunHistory, Told } from './history.ts'

export type FaultKind =
  /** The log: positions without a gap, chains that hold. */
  | 'gap'
  | 'broken-chain'
  /** An ask is settled twice, or two asks stand for one request. */
  | 'second-winner'
  | 'second-ask'
  /** Acknowledged, and not in the log. */
  | 'lost-raise'
  | 'lost-answer'
  | 'lost-withdrawal'
  /** In the log, and nobody sent it, or whoever did was told that it does not count. */
  | 'invented-ask'
  | 'invented-outcome'
  | 'counts-after-all'
  /** Somebody was told another outcome than the log has. */
  | 'disagreement'
  /** At the agents. */
  | 'stray-delivery'
  | 'second-delivery'
  | 'allow-without-row'
  | 'wrong-delivery'
  | 'not-delivered'
  | 'nobody-waits'
  /** A gateway published a gap, a repetition, or another event than the log has there. */
  | 'stream'
  /** Written by a life of a node after a later one had begun. */
  | 'fenced'
  /** Answered by a credential after it was revoked. */
  | 'revoked'

export interface Fault {
  readonly kind: FaultKind
  readonly what: string
}

interface Settled {
  readonly seq: number
  readonly outcome: Outcome
}

/** What must hold over a whole run of several gateways, whatever was killed, stopped or cut meanwhile. None found: it held. */
export function checkHistory(run: RunHistory): readonly Fault[] {
  const faults: Fault[] = []
  const fault = (kind: FaultKind, what: string) => void faults.push({ kind, what })
  const log = readLog(run.log, fault)
  if (run.chain.fault) fault('broken-chain', JSON.stringify(run.chain.fault))
  if (run.chain.events !== run.log.length)
    fault('broken-chain', `${run.chain.events} events verified, ${run.log.length} read`)
  checkRaises(run, log, fault)
  checkOutcomes(run, log, fault)
  checkTold(run, log, fault)
  checkDeliveries(run, log, fault)
  checkStreams(run, fault)
  checkLives(run, log, fault)
  return faults
}

type Note = (kind: FaultKind, what: string) => void
type Log = ReturnType<typeof readLog>

function readLog(rows: readonly Stored[], fault: Note) {
  const asks = new Map<AskId, Ask>()
  const byRequest = new Map<string, Ask>()
  const settled = new Map<AskId, Settled>()
  const places = new Map<string, number>()
  for (const [index, { seq, sessionSeq, event }] of rows.entries()) {
    if (seq !== index + 1) fault('gap', `row ${index + 1} of the log has the position ${seq}`)
    const place = (places.get(event.sessionId) ?? 0) + 1
    if (sessionSeq !== place) fault('gap', `${event.sessionId}: row ${place} has the position ${sessionSeq}`)
    places.set(event.sessionId, place)
    take(event, seq)
  }
  return { asks, byRequest, settled }

  function take(event: DurableEvent, seq: number) {
    if (event.type === 'ask-raised') {
      const earlier = byRequest.get(keyOf(event.ask))
      const before = earlier && settled.get(earlier.id)?.outcome
      if (earlier && before?.reason !== 'changed') fault('second-ask', `${earlier.id} and ${event.ask.id}`)
      asks.set(event.ask.id, event.ask)
      byRequest.set(keyOf(event.ask), event.ask)
    }
    if (event.type === 'ask-settled') {
      const first = settled.get(event.askId)
      if (first) fault('second-winner', `${event.askId} at ${first.seq} and ${seq}`)
      else settled.set(event.askId, { seq, outcome: event.outcome })
    }
  }
}

function checkRaises(run: RunHistory, { asks }: Log, fault: Note) {
  const sent = new Map(run.raises.map((raise) => [keyOf(raise), raise]))
  for (const ask of asks.values()) {
    const raise = sent.get(keyOf(ask))
    if (raise?.input !== inputOf(ask)) fault('invented-ask', `${ask.id} ${keyOf(ask)} ${inputOf(ask)}`)
    else if (isDenied(raise.tries)) fault('counts-after-all', `${ask.id}: its raiser was told that it is not recorded`)
  }
  for (const raise of run.raises) {
    for (const tried of raise.tries) {
      const ask = tried.told === 'done' ? asks.get(tried.result) : undefined
      if (tried.told === 'done' && (!ask || keyOf(ask) !== keyOf(raise))) fault('lost-raise', keyOf(raise))
    }
  }
}

function checkOutcomes(run: RunHistory, { asks, settled }: Log, fault: Note) {
  const answers = new Map(run.answers.map((answer) => [markOf(answer.askId, answer.device, answer.retryKey), answer]))
  const withdrawals = grouped(run.withdrawals, ({ askId }) => askId)
  const ended = new Set(run.ended)
  const refused = new Set(run.deliveries.filter(({ kind }) => kind === 'refused').map(keyOf))
  for (const [id, { outcome }] of settled) {
    const ask = asks.get(id)
    const invented = () => fault('invented-outcome', `${id} ${JSON.stringify(outcome)}`)
    if (!ask) invented()
    else if (outcome.by) checkAnswer(answers.get(markOf(id, outcome.by.device, outcome.retryKey)), outcome, invented)
    else if (outcome.kind === 'expired') {
      if (ask.expiresAt === undefined || outcome.at < ask.expiresAt) invented()
    } else if (outcome.kind !== 'withdrawn') invented()
    // Of an agent that was told no, because nobody could tell whether its ask was recorded.
    else if (
      refused.has(keyOf(ask)) &&
      (outcome.reason === 'agent-cancelled' || outcome.reason === 'answered-elsewhere')
    )
      continue
    else if (outcome.reason === 'agent-cancelled') {
      const tries = (withdrawals.get(id) ?? []).flatMap((withdrawal) => withdrawal.tries)
      if (tries.length === 0) invented()
      else if (isDenied(tries)) fault('counts-after-all', `${id}: its withdrawal was refused`)
    } else if (outcome.reason !== 'session-ended' || !ended.has(ask.sessionId)) invented()
  }

  function checkAnswer(answer: GivenAnswer | undefined, outcome: Outcome, invented: () => void) {
    if (outcome.kind !== (answer?.kind === 'allow' ? 'allowed' : 'denied')) return invented()
    if (answer && isDenied(answer.tries))
      fault('counts-after-all', `${answer.askId}: ${answer.device} was told that its answer does not count`)
  }
}

function checkTold(run: RunHistory, { asks, settled }: Log, fault: Note) {
  const agree = (askId: AskId, outcome: Outcome, who: string) => {
    const winner = settled.get(askId)?.outcome
    if (!winner || textOf(winner) !== textOf(outcome))
      fault('disagreement', `${who} was told of ${askId} ${textOf(outcome)}, the log has ${winner && textOf(winner)}`)
  }
  for (const { askId, device, retryKey, tries } of run.answers) {
    for (const tried of tries) {
      const winner = settled.get(askId)?.outcome
      const isOwn = winner?.by?.device === device && winner.retryKey === retryKey
      if (tried.told === 'done' && !isOwn) fault('lost-answer', `${askId} of ${device}`)
      if (tried.told === 'done') agree(askId, tried.result, device)
      if (tried.told === 'refused' && tried.outcome) agree(askId, tried.outcome, device)
      if (tried.told === 'refused' && tried.outcome && isOwn)
        fault('disagreement', `${askId}: ${device} was told that another answer won, and its own did`)
    }
  }
  for (const { askId, tries } of run.withdrawals) {
    for (const tried of tries) {
      if (tried.told === 'done' && !tried.result && !settled.has(askId)) fault('lost-withdrawal', askId)
      if (tried.told === 'done' && tried.result) agree(askId, tried.result, 'who withdrew it')
    }
  }
  for (const { by, askId, outcome } of run.sightings) {
    if (!asks.has(askId)) fault('lost-raise', `${by} was shown ${askId}`)
    else if (outcome) agree(askId, outcome, by)
  }
}

function checkDeliveries(run: RunHistory, { asks, byRequest, settled }: Log, fault: Note) {
  const raised = new Map(run.raises.map((raise) => [keyOf(raise), raise]))
  const delivered = new Set<string>()
  for (const delivery of run.deliveries) {
    const key = keyOf(delivery)
    const { kind, input } = delivery
    const ask = byRequest.get(key)
    const outcome = ask && settled.get(ask.id)?.outcome
    if (!raised.has(key)) fault('stray-delivery', `${key} ${kind}`)
    if (delivered.has(key)) fault('second-delivery', `${key} ${kind}`)
    delivered.add(key)
    // A no needs no row: nothing runs.
    if (kind === 'refused') continue
    if (kind === 'allowed' && (outcome?.kind !== 'allowed' || ask === undefined || inputOf(ask) !== input))
      fault('allow-without-row', `${key} ${input}`)
    else if (outcome?.kind !== kind) fault('wrong-delivery', `${key} ${kind}, the log has ${outcome?.kind}`)
  }
  const waiting = new Set(run.waiting.map(keyOf))
  for (const key of waiting) {
    const ask = byRequest.get(key)
    if (ask && settled.has(ask.id)) fault('not-delivered', key)
  }
  for (const ask of asks.values()) {
    const isOpen = byRequest.get(keyOf(ask)) === ask && !settled.has(ask.id)
    const tries = raised.get(keyOf(ask))?.tries ?? []
    if (isOpen && ask.raisedBy === undefined && tries.length === 0 && !waiting.has(keyOf(ask)))
      fault('nobody-waits', `${ask.id} ${keyOf(ask)}`)
  }
}

function checkStreams(run: RunHistory, fault: Note) {
  for (const { gateway, events } of run.streams) {
    for (const [index, { seq, hash }] of events.entries()) {
      const due = index === 0 ? seq : (events[index - 1]?.seq ?? 0) + 1
      if (seq !== due) fault('stream', `${gateway} published ${seq} where ${due} was due`)
      if (run.log[seq - 1]?.hash !== hash) fault('stream', `${gateway} published another event at ${seq}`)
    }
  }
}

function checkLives(run: RunHistory, { settled }: Log, fault: Note) {
  const lives = grouped(run.lives, ({ node }) => node)
  for (const { seq, node, epoch } of run.writes) {
    const known = lives.get(node) ?? []
    if (!known.some((life) => life.epoch === epoch && life.after < seq))
      fault('fenced', `${seq} was written by ${node} in a life ${epoch} that had not begun`)
    const later = known.find((life) => life.epoch > epoch && life.after < seq)
    if (later)
      fault('fenced', `${seq} was written by ${node} in its life ${epoch}, after life ${later.epoch} had begun`)
  }
  const written = new Set(run.writes.map(({ seq }) => seq))
  const unwatched = run.lives.length > 0 && run.log.find(({ seq }) => !written.has(seq))
  if (unwatched) fault('fenced', `nobody knows who wrote ${unwatched.seq}`)
  for (const { device, after } of run.revocations) {
    for (const [askId, { seq, outcome }] of settled)
      if (seq > after && outcome.by?.device === device) fault('revoked', `${askId} at ${seq}, revoked at ${after}`)
  }
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** Whether everybody who tried was told that it does not count. */
function isDenied(tries: readonly Told<unknown>[]): boolean {
  return tries.length > 0 && tries.every(({ told }) => told === 'nothing' || told === 'refused')
}

function keyOf({ sessionId, epoch, requestId }: RequestKey): string {
  return `${sessionId}.${epoch} ${requestId}`
}

function markOf(askId: AskId, device: string, retryKey: string | undefined): string {
  return `${askId} ${device} ${retryKey ?? ''}`
}

function inputOf(ask: Ask): string {
  return JSON.stringify(ask.tool?.input)
}

/** What is the same in the log and in what clients are shown of it. */
function textOf({ kind, at, by, via, answer, reason }: Outcome): string {
  return JSON.stringify([kind, at, by?.device, via, answer, reason])
}
