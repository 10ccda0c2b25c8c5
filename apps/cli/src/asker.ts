import { setTimeout as delay } from 'node:timers/promises'
import { backOffMs } from '@holdpoint/client/back-off'
import type { Ask } from '@holdpoint/schema/ask'
import type { CallInput } from '@holdpoint/schema/endpoints/endpoints'
import type { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import { paths } from '@holdpoint/schema/paths'
import { type Api, ApiError } from './api.ts'
import type { SettledAsk } from './ask/ask-result.ts'
import { isPassing } from './passing-fault.ts'
import { untilReplied } from './until-replied.ts'

/** One call waits so long: below the limits of proxies. */
const WAIT_SECONDS = 50
/** How long the gateway may be away after the ask has run out there, before nobody waits for it any more. */
const AWAY_MS = 60_000

type RaiseBody = CallInput<typeof paths.asks.raise>['body']
export type AskedFor = Omit<RaiseBody, 'program' | 'sessionId' | 'epoch' | 'context'>

export interface Asker {
  /** The ask as it is on record: the same request gives the same one, with its outcome where it has one. */
  raise(request: AskedFor): Promise<Ask>
  /** An ask of this credential; undefined where there is none. */
  read(id: AskId): Promise<Ask | undefined>
  /** Waits for the outcome, over restarts of the gateway. Undefined when `signal` aborts first. */
  outcome(ask: Ask, signal: AbortSignal): Promise<SettledAsk | undefined>
  /** Takes the ask back, unless it is settled already: says how it stands. Tries until the gateway is there. */
  withdraw(ask: Ask): Promise<Outcome>
  /** Nothing more will be asked: what is open is withdrawn. */
  leave(): Promise<void>
}

/** Raises asks for one run of a program, and waits for what becomes of them. */
export function createAsker(options: {
  readonly api: () => Promise<Api>
  /** Names this run: the same key is the same run. */
  readonly key: string
  /** Who asks, as people read it. */
  readonly title: () => string
  readonly cwd: string
  /** Words about the connection. */
  readonly say: (words: string) => void
}): Asker {
  const { api, key, say } = options

  return {
    async raise(request) {
      const body: RaiseBody = { ...request, program: { key, title: options.title() }, context: { cwd: options.cwd } }
      return untilReplied(async () => (await api()).call(paths.asks.raise, { body }))
    },

    async read(id) {
      try {
        return await (await api()).call(paths.asks.read, { params: { id } })
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      }
    },

    async outcome(ask, signal) {
      const { id, raisedAt, expiresAt } = ask
      const last =
        expiresAt === undefined ? Number.POSITIVE_INFINITY : performance.now() + expiresAt - raisedAt + AWAY_MS
      let now = ask
      let failures = 0
      while (!signal.aborted) {
        if (now.outcome) return { ...now, outcome: now.outcome }
        try {
          // After a loss the first call does not wait: it tells that the gateway is back.
          const query = failures > 0 ? {} : { wait: WAIT_SECONDS }
          now = await (await api()).call(paths.asks.read, { params: { id }, query }, { signal })
          if (failures > 0) say('The gateway is back, and the ask is still there.')
          failures = 0
        } catch (error) {
          if (signal.aborted) break
          if (!isPassing(error) || performance.now() > last) throw error
          if (failures === 0)
            say('The connection to the gateway is lost. The ask stays open; waiting for the gateway …')
          await delay(backOffMs(failures++, Math.random), undefined, { signal }).catch(() => {})
        }
      }
      return undefined
    },

    async withdraw({ id }) {
      for (let failures = 0; ; failures++) {
        try {
          return (await (await api()).call(paths.asks.withdraw, { params: { id } })).outcome
        } catch (error) {
          if (!isPassing(error)) throw error
          await delay(backOffMs(failures, Math.random), undefined, { ref: false })
        }
      }
    },

    async leave() {
      await (await api()).call(paths.asks.leave, { body: { key } })
    },
  }
}
