import { startChild } from '../child.ts'
import { type Memory, startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, short, spread } from '../statistics.ts'

const SESSIONS = 500
const PER_SESSION = 20
const ASKS = SESSIONS * PER_SESSION
const LISTS = 15

/** Ten thousand asks that nobody has answered: what they cost, how they are listed, and a crash in the middle of them. */
export async function openAsks(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using client = await startChild('client-main')
  const first = await startGatewayProcess({ dataDir: folder.path })
  await using _first = first
  await first.call('startAgents', { count: SESSIONS })
  const before = await first.call<Memory>('memory')
  const raisedFrom = performance.now()
  await first.call('open', { perSession: PER_SESSION })
  const raiseMs = performance.now() - raisedFrom
  const after = await first.call<Memory>('memory')
  const lists: number[] = []
  for (let list = 0; list < LISTS; list++) {
    const { ms, count } = await client.call<{ ms: number; count: number }>('list', { url: first.ready.url })
    if (count !== ASKS) throw new Error(`${count} asks are listed, not ${ASKS}`)
    lists.push(ms)
  }
  await first.kill('SIGKILL')

  await using second = await startGatewayProcess({ dataDir: folder.path })
  const { count } = await client.call<{ count: number }>('list', { url: second.ready.url })
  if (count !== ASKS) throw new Error(`${count} asks are open after the restart, not ${ASKS}`)
  await second.call('open', { perSession: PER_SESSION })
  const answeredFrom = performance.now()
  const { snapshotMs, snapshotBytes } = await client.call<{ snapshotMs: number; snapshotBytes: number }>('answerAll', {
    url: second.ready.url,
  })
  await second.call('allSettled')
  const answerMs = performance.now() - answeredFrom

  const kept = (after.heapUsed + after.external - before.heapUsed - before.external) / ASKS / 1024
  const resident = (after.rss - before.rss) / ASKS / 1024
  const open = '10,000 open asks over 500 sessions'
  return [
    {
      what: `memory per open ask (${open})`,
      measured: `${short(kept)} KB kept, ${short(resident)} KB resident`,
      budget: '≤ 10 KB',
      met: kept <= 10,
    },
    {
      what: `${open}: list over HTTP, p50 / p95 / p99`,
      measured: spread(lists),
      against: `snapshot over WebSocket ${short(snapshotMs)} ms, ${short(snapshotBytes / 1024 / 1024)} MB`,
    },
    {
      what: `${open}: kill -9, then start of the process until ready`,
      measured: `${short(second.startMs)} ms`,
      against: `empty gateway ${short(first.startMs)} ms`,
      budget: '< 5 s',
      met: second.startMs < 5000,
    },
    {
      what: `${open}: raise all; after the restart, answer all until every agent has its outcome`,
      measured: `${short(raiseMs)} ms; ${short(answerMs)} ms`,
      against: `${short(median([(ASKS / answerMs) * 1000]))} approvals/s`,
    },
  ]
}
