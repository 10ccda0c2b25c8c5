import type { Ledger } from '@holdpoint/core/ledger'
import { MANY_OPEN_ASKS } from '@holdpoint/core/open-room'
import type { LogFunction } from '@holdpoint/schema/log-event'

/** At the start: nothing is refused, but whoever runs the gateway hears why it needs memory. */
export function warnOfManyOpenAsks(ledger: Pick<Ledger, 'views'>, warn: LogFunction) {
  let open = 0
  for (const { asks } of ledger.views().values()) open += asks.size
  if (open > MANY_OPEN_ASKS) warn('many_open_asks', { open, madeFor: MANY_OPEN_ASKS })
}
