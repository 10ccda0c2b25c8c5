import { setTimeout as sleep } from 'node:timers/promises'
import { apiClient } from '../api-client.ts'
import type { HistoryAgent } from '../histories/history-agent.ts'
import type { Notes } from '../histories/notes.ts'
import { until } from '../until.ts'
import type { Callers } from './callers.ts'
import { logIn } from './log-in.ts'
import type { Machine } from './machine.ts'
import { withPatience } from './told-over-http.ts'

const DEAF_MS = 200
const KNOWN_MS = 5_000
const TRIES = 4

/**
 * A credential answers at a gateway that has not heard that another one has revoked it. False: there was no revocation, since
 * other faults came in between.
 */
export async function revokeUnheard(options: {
  readonly machine: Machine
  readonly elsewhere: Machine
  readonly agent: HistoryAgent
  readonly number: number
  readonly notes: Notes
  readonly callers: Callers
}): Promise<boolean> {
  const { machine, elsewhere, agent, number, notes, callers } = options
  await Promise.all([machine.ready(), elsewhere.ready()])
  const other = elsewhere.apis().at(-1)
  const here = machine.apis().at(-1)
  if (!other || !here) return false
  const loggedIn = () => logIn(other, 'owner').catch(() => undefined)
  const credential = await until(loggedIn, 'a credential', KNOWN_MS).catch(() => undefined)
  if (!credential) return false
  const { device, token } = credential
  const api = apiClient(here.url, token)
  const isKnown = async () => (await withPatience(api.call('GET', '/api/me')))?.status === 200
  if (!(await until(isKnown, 'the credential', KNOWN_MS).catch(() => false))) return false

  const input = { command: `revoked ${number}` }
  const key = { sessionId: agent.sessionId, epoch: 1, requestId: `revoked ${number}` }
  const raise: Notes['raises'][number] = { ...key, input: JSON.stringify(input), tries: [] }
  notes.raises.push(raise)
  await callers.raise(raise, input, TRIES)
  const ask = await callers.find(key, agent)
  if (!ask) return false
  let answering: Promise<void> | undefined
  await machine.line.deafen(async () => {
    const revoked = await withPatience(other.call('DELETE', `/api/devices/${device.id}`))
    if (!revoked || revoked.status >= 300) return
    answering = callers.answer(ask, { kind: 'allow', key: key.requestId, most: 1, as: { device: device.id, api } })
    await Promise.race([answering, sleep(DEAF_MS)])
  })
  await answering
  await callers.answer(ask, { kind: 'deny', key: `${key.requestId} after`, most: 1 })
  return answering !== undefined
}
