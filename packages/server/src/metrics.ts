import type { Ledger } from '@holdpoint/core/ledger'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Figures for Prometheus. Kept from the events themselves, so they count what happened, not what was tried. */
export function createMetrics(deps: { ledger: Ledger; clients: () => number }) {
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
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200],
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
  const raisedAt = new Map<AskId, number>()

  return {
    onStored(stored: readonly Stored[]) {
      for (const { event } of stored) {
        if (event.type === 'ask-raised') {
          raised.inc({ kind: event.ask.kind })
          raisedAt.set(event.ask.id, event.at)
        }
        if (event.type === 'ask-settled') {
          settled.inc({ outcome: event.outcome.kind, via: event.outcome.via })
          const from = raisedAt.get(event.askId)
          if (from !== undefined) waited.observe((event.at - from) / 1000)
          raisedAt.delete(event.askId)
        }
        if (event.type === 'alarm') alarms.inc({ code: event.code })
      }
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
export type Metrics = ReturnType<typeof createMetrics>
