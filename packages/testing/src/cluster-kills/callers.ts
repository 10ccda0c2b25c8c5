import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from '@holdpoint/schema/ask'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import { retryKeyOf } from '@holdpoint/server/services/answering'
import { type ApiClient, apiClient } from '../api-client.ts'
import type { RequestKey, Told } from '../histories/history.ts'
import type { HistoryAgent } from '../histories/history-agent.ts'
import type { Notes } from '../histories/notes.ts'
import { toldOverHttp } from './told-over-http.ts'

const PAUSE_MS = 30
/** So long an ask is looked for. */
const LOOK_MS = 3_000

export interface Place {
  readonly name: string
  readonly api: ApiClient
}

interface AnswerGiven {
  readonly kind: 'allow' | 'deny'
  readonly key: string
  readonly most: number
  /** With a credential of its own, at this gateway. */
  readonly as?: { readonly device: DeviceId; readonly api: ApiClient }
}

/** People and programs at any gateway, with what they were told. `where`: the gateway for the next call. */
export function createCallers({
  notes,
  device,
  program,
  cwd,
  where,
}: {
  readonly notes: Notes
  /** Of the token that all people have. */
  readonly device: DeviceId
  /** What programs have, which only ask. */
  readonly program: string
  /** Of what programs ask for. */
  readonly cwd: string
  readonly where: () => Place
}) {
  const asProgram = () => apiClient(where().api.url, program)
  const looking = new Map<string, Promise<unknown>>()

  const find = async ({ sessionId, requestId }: RequestKey, agent: HistoryAgent): Promise<Ask | undefined> => {
    const key = `${sessionId} ${requestId}`
    for (const end = performance.now() + LOOK_MS; performance.now() < end; ) {
      const known = notes.seen.get(key)
      if (known || agent.isTold(requestId)) return known
      await lookTogether(sessionId)
      if (!notes.seen.has(key)) await sleep(PAUSE_MS)
    }
    return undefined
  }

  /** All who look at one session share a look. */
  function lookTogether(sessionId: HistoryAgent['sessionId']) {
    const known = looking.get(sessionId)
    if (known) return known
    const begun = look(sessionId).finally(() => looking.delete(sessionId))
    looking.set(sessionId, begun)
    return begun
  }

  /** What is open in a session, as some gateway shows it; undefined if it does not say. */
  async function look(sessionId: HistoryAgent['sessionId']): Promise<readonly Ask[] | undefined> {
    const { name, api } = where()
    const told = await toldOverHttp(
      api.call('GET', `/api/asks?sessionId=${sessionId}`),
      (body) => (body as { asks: Ask[] }).asks,
    )
    if (told.told !== 'done') return undefined
    for (const ask of told.result) {
      const key = `${sessionId} ${ask.requestId}`
      if (!notes.seen.has(key)) notes.sightings.push({ by: name, askId: ask.id })
      notes.seen.set(key, ask)
    }
    return told.result
  }

  return {
    find,
    look,
    /** With the same request id wherever it is tried again. */
    async raise(raise: Notes['raises'][number], input: { readonly command: string }, most: number) {
      const { sessionId, epoch, requestId } = raise
      const body = {
        sessionId,
        epoch,
        requestId,
        kind: 'approval',
        title: 'Bash',
        tool: { name: 'Bash', input },
        context: { cwd },
      }
      for (let count = 0; count < most; count++) {
        const calling = asProgram().call('POST', '/api/asks', body)
        const told = await toldOverHttp(calling, (reply) => (reply as Ask).id)
        raise.tries.push(told)
        if (told.told === 'done' || told.told === 'refused') return
        await sleep(PAUSE_MS)
      }
    },
    /** With the same key wherever it is tried again. */
    async answer(ask: Ask, { kind, key, most, as }: AnswerGiven) {
      const tries: Told<Outcome>[] = []
      const by = as?.device ?? device
      notes.answers.push({ askId: ask.id, kind, device: by, retryKey: retryKeyOf({ id: by }, key), tries })
      for (let count = 0; count < most; count++) {
        const calling = (as?.api ?? where().api).answer(ask, { kind }, { 'idempotency-key': key })
        const told = await toldOverHttp(calling, (body) => (body as { outcome: Outcome }).outcome)
        tries.push(told)
        if (told.told === 'done' || told.told === 'refused') return
        await sleep(PAUSE_MS)
      }
    },
    async withdraw({ id }: Ask) {
      const tries: Told<Outcome | undefined>[] = []
      notes.withdrawals.push({ askId: id, tries })
      const calling = asProgram().call('POST', `/api/asks/${id}/withdraw`)
      tries.push(await toldOverHttp(calling, (body) => (body as { outcome: Outcome }).outcome))
    },
  }
}
export type Callers = ReturnType<typeof createCallers>
