import type { Ledger } from '@holdpoint/core/ledger'
import { isPermission } from '@holdpoint/core/permission-request'
import type { Ask } from '@holdpoint/schema/ask'
import type { RecordState } from '@holdpoint/schema/endpoints/system'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const WAIT_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200]
/** Tools with figures of their own. Agents choose the names: without a limit they could fill our memory (I10). */
export const MAX_TOOLS = 50
const PLAIN_NAME = /^[A-Za-z]\w{0,63}$/

/** Figures for Prometheus. Kept from the events themselves, so they count what happened, not what was tried. */
export function createMetrics(deps: {
  ledger: Ledger
  clients: () => number
  record: () => RecordState
  lagMs: () => number
}) {
  const registry = new Registry()
  const registers = [registry]
  const raised = new Counter({
    name: 'holdpoint_asks_raised_total',
    help: 'Asks raised',
    labelNames: ['kind'],
    registers,
  })
  const settled = new Counter({
    name: 'holdpoint_asks_settled_total',
    help: 'Asks settled, by outcome and surface',
    labelNames: ['outcome', 'via'],
    registers,
  })
  const alarms = new Counter({ name: 'holdpoint_alarms_total', help: 'Alarms', labelNames: ['code'], registers })
  const waited = new Histogram({
    name: 'holdpoint_ask_wait_seconds',
    help: 'How long asks waited for their outcome',
    buckets: WAIT_BUCKETS,
    registers,
  })
  const permissions = new Counter({
    name: 'holdpoint_permission_requests_total',
    help: 'Permission requests (approvals and plans) that ended, by tool and outcome',
    labelNames: ['tool', 'outcome'],
    registers,
  })
  const responses = new Histogram({
    name: 'holdpoint_permission_response_time_seconds',
    help: 'How long people took to reply to permission requests',
    buckets: WAIT_BUCKETS,
    registers,
  })
  const timeouts = new Counter({
    name: 'holdpoint_permission_timeouts_total',
    help: 'Permission requests that timed out',
    registers,
  })
  new Gauge({
    name: 'holdpoint_asks_open',
    help: 'Asks that wait for a person',
    registers,
    collect() {
      let open = 0
      for (const view of deps.ledger.views().values()) open += view.asks.size
      this.set(open)
    },
  })
  new Gauge({
    name: 'holdpoint_sessions_live',
    help: 'Sessions whose agent may run',
    registers,
    collect() {
      this.set(deps.ledger.views().size)
    },
  })
  new Gauge({
    name: 'holdpoint_stream_clients',
    help: 'Clients connected to an event stream',
    registers,
    collect() {
      this.set(deps.clients())
    },
  })
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the gateway',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'holdpoint_record_events_match',
    help: 'Result of the last check of all events and rows: 1 unchanged, 0 damaged or failed, -1 not checked yet',
    registers,
    collect() {
      const { state } = deps.record()
      this.set(state === 'events-match' ? 1 : state === 'damaged' || state === 'failed' ? 0 : -1)
    },
  })
  new Gauge({
    name: 'holdpoint_record_checked_timestamp_seconds',
    help: 'Time when the last check of all events and rows ended; 0 before the first',
    registers,
    collect() {
      this.set((deps.record().checkedAt ?? 0) / 1000)
    },
  })
  new Gauge({
    name: 'holdpoint_event_loop_lag_seconds',
    help: 'Longest recent delay of the event loop',
    registers,
    collect() {
      this.set(deps.lagMs() / 1000)
    },
  })
  const toolLabel = boundedNames(MAX_TOOLS)
  const open = new Map<AskId, { readonly at: number; readonly tool: string | undefined }>()
  for (const view of deps.ledger.views().values()) for (const ask of view.asks.values()) watch(ask)

  function watch(ask: Ask) {
    const tool = isPermission(ask) ? (ask.tool?.name ?? ask.kind) : undefined
    open.set(ask.id, { at: ask.raisedAt, tool })
  }

  function onPermissionSettled(tool: string, seconds: number, outcome: Outcome) {
    permissions.inc({ tool: toolLabel(tool), outcome: outcome.kind })
    if (outcome.kind === 'expired') timeouts.inc()
    if (outcome.by) responses.observe(seconds)
  }

  return {
    onStored(stored: readonly Stored[]) {
      for (const { event } of stored) {
        if (event.type === 'ask-raised') {
          raised.inc({ kind: event.ask.kind })
          watch(event.ask)
        }
        if (event.type === 'ask-settled') {
          const { outcome } = event
          settled.inc({ outcome: outcome.kind, via: outcome.via })
          const from = open.get(event.askId)
          if (!from) continue
          open.delete(event.askId)
          const seconds = (event.at - from.at) / 1000
          waited.observe(seconds)
          if (from.tool !== undefined) onPermissionSettled(from.tool, seconds, outcome)
        }
        if (event.type === 'alarm') alarms.inc({ code: event.code })
      }
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
export type Metrics = ReturnType<typeof createMetrics>

/** The first names that come, as far as they are plain; all others share one. */
function boundedNames(limit: number) {
  const known = new Set<string>()
  return (name: string): string => {
    if (!PLAIN_NAME.test(name)) return 'other'
    if (known.size < limit) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
