import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { LONG } from '../long.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { useTestNodes } from '../test-store.ts'
import { createPostgresNodes } from './postgres-nodes.ts'

const packages = join(dirname(fileURLToPath(import.meta.url)), '../../..')

/** What runs on PostgreSQL in every `npm test`: some of each kind. */
const CORE = [
  'core/src/broker.test.ts',
  'core/src/ledger.test.ts',
  'server/src/faults/stream-cut.test.ts',
  'server/src/policy/ended-session-rules.test.ts',
  'server/src/policy/rule-uses.test.ts',
  'testing/src/broker-model.test.ts',
  'testing/src/dialects/turn-stream.test.ts',
]
/** All that runs there in `npm run test:long`: of these files and folders the suites that get their store from `test-store.ts`. */
const WHOLE = [
  'client/src/transport-contract.test.ts',
  'core/src',
  'server/src/dialects',
  'server/src/faults/answers.test.ts',
  'server/src/faults/commit-in-doubt.test.ts',
  'server/src/faults/right-waiter.test.ts',
  'server/src/faults/stream-cut.test.ts',
  'server/src/policy',
  'testing/src/broker-model.test.ts',
  'testing/src/dialects',
]
const GETS_STORE = /\/(test-store|core-world|test-gateway|judging-gateway|troubled-store|transport-contract)(\.ts)?'/

/** Its floods have to come faster than the limits let go of them, by a clock that runs. */
const TOO_FAST = 'core/src/ask-rate.test.ts'

function suites(): string[] {
  if (!LONG) return CORE
  const all = WHOLE.flatMap((path) => {
    if (path.endsWith('.test.ts')) return [path]
    const files = readdirSync(join(packages, path), { recursive: true, encoding: 'utf8' })
    return files.filter((file) => file.endsWith('.test.ts')).map((file) => join(path, file))
  })
  return all.filter((path) => path !== TOO_FAST && GETS_STORE.test(readFileSync(join(packages, path), 'utf8')))
}

let server: PostgresServer
let nodes: ReturnType<typeof createPostgresNodes>
beforeAll(async () => {
  server = await startPostgres()
  nodes = createPostgresNodes(server)
})
// Before the suites are read: some have other sizes here.
useTestNodes(() => nodes.open())
afterEach(() => nodes.closeAll())
afterAll(async () => {
  useTestNodes()
  await server[Symbol.asyncDispose]()
})

describe.each(suites())('on PostgreSQL, %s', async (path) => {
  // By a name of its own: the file itself may have been read in this process.
  await import(`${join(packages, path)}?on-postgres`)
})
