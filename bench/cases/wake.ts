import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import { say } from '@holdpoint/demo-model/script'
import { claudeEnvironment } from '@holdpoint/testing/real-claude'
import { openStream } from '@holdpoint/testing/stream-client'
import { startGatewayProcess, TOKEN, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, percentile, spread } from '../statistics.ts'

const ROUNDS = 20
const PARK_MS = 400
const BUDGET_MS = 2000

/** A message to a parked Claude Code, from the call until the first token of the scripted model is at a client. */
export async function wake(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  await mkdir(home)
  const model = await startDemoModel({ script: () => say('Here I am.') })
  try {
    const environment = claudeEnvironment({ home, url: model.url })
    await using gateway = await startGatewayProcess({
      dataDir: join(folder.path, 'data'),
      environment,
      parkMs: PARK_MS,
    })
    const headers = { authorization: `Bearer ${TOKEN}` }
    const stream = await openStream(gateway.ready.url, headers)
    stream.send({ type: 'subscribe', ref: 'all' })
    await stream.message(({ type }) => type === 'subscribed', 'the subscription')
    const cwd = await mkdtemp(join(folder.path, 'project-'))
    const id = await gateway.call<string>('startClaude', { cwd })

    const changed = (from: number, field: string, what: string) =>
      stream.message(({ event }) => event?.changes !== undefined && field in (event.changes as object), what, from)
    const turnOver = (from: number) =>
      stream.message(
        ({ event }) => (event?.changes as { state?: string } | undefined)?.state === 'user_turn',
        'the end of the turn',
        from,
      )
    /** From the call of a message until the first token. */
    async function firstToken(): Promise<{ ms: number; from: number }> {
      const from = stream.messages.length
      const begun = performance.now()
      await fetch(`${gateway.ready.url}/api/sessions/${id}/messages`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'Are you there?' }),
      })
      await stream.message((message) => JSON.stringify(message).includes('"text-delta"'), 'the first token', from)
      return { ms: performance.now() - begun, from }
    }

    await turnOver(0)
    const parked: number[] = []
    const awake: number[] = []
    let from = 0
    for (let round = 0; round < ROUNDS; round++) {
      await changed(from, 'parkedAt', 'the agent to be parked')
      const woken = await firstToken()
      parked.push(woken.ms)
      await turnOver(woken.from)
      const next = await firstToken()
      awake.push(next.ms)
      await turnOver(next.from)
      from = next.from
    }
    stream.close()
    const worst = percentile(parked, 0.95)
    return [
      {
        what: `a message to a parked Claude Code, until the first token of the scripted model is at a client (${ROUNDS} times), p50 / p95 / p99`,
        measured: spread(parked),
        against: `the same to one that is not parked ${spread(awake)}`,
        ratio: median(parked) / median(awake),
        budget: 'p95 ≤ 2 s',
        met: worst <= BUDGET_MS,
      },
    ]
  } finally {
    await model.close()
  }
}
