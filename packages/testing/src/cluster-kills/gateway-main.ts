// One gateway of several on one PostgreSQL, to be killed. Its agents are at the other end of a socket, and outlive it. Tells its
// parent what it publishes. Arguments: data folder, name, address of the database, port of the agents, number of this life. HOLDPOINT_TOKEN: its token.
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFault } from '@holdpoint/core/store'
import { idMaker, type NodeId } from '@holdpoint/schema/id'
import { createGateway } from '@holdpoint/server/gateway'
import { createLog } from '@holdpoint/server/system/log'
import { createClock } from '@holdpoint/server/system/system-clock'
import { keepNodeId } from '@holdpoint/store/node-id'
import { openPostgresCluster } from '@holdpoint/store/postgres/open-cluster'
import { EXIT, type FromLife } from './life-messages.ts'
import { createLineDriver } from './line-driver.ts'

const [, , dataDir = '', name = '', address = '', agents = '', life = ''] = process.argv
const { HOLDPOINT_TOKEN: token = '' } = process.env
const AGAIN_MS = 50
const CLOSE_MS = 2_000
const tell = (message: FromLife) => void process.send?.(message)
process.once('disconnect', () => process.exit())

try {
  const newId = idMaker({ now: Date.now, randomBytes })
  const node = await keepNodeId(dataDir, () => newId('nod'))
  const { store, cluster } = await openAtLast(node)
  const gateway = await createGateway({
    dataDir,
    token,
    idleMs: 3_600_000,
    limits: { connectionsPerBrowser: 32, connectionsPerToken: 2000 },
    log: createLog({ level: 'error', write: (line) => process.stderr.write(line), now: Date.now }),
    store,
    cluster,
    clock: createClock(() => cluster.now()),
    drivers: () => [createLineDriver({ port: Number(agents), node, life: Number(life) })],
    dialects: [],
  })
  // As the real one: whoever waits for a reply is told something.
  cluster.onDisplaced(() => {
    setTimeout(() => process.exit(EXIT.displaced), CLOSE_MS)
    void gateway.close().finally(() => process.exit(EXIT.displaced))
  })
  gateway.ledger.subscribe((stored) => {
    tell({ type: 'published', events: stored.map(({ seq, hash }) => ({ seq, hash })) })
  })
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  gateway.resume()
  tell({ type: 'ready', url, node })
} catch (error) {
  if (!(error instanceof StoreFault)) throw error
  note(error)
  process.exit(EXIT.unreachable)
}

/** For whoever looks at a run that has come to a standstill. */
function note({ code, message }: StoreFault) {
  writeSync(process.stderr.fd, `${code} ${message}\n`)
}

/** The database may be away just now. */
async function openAtLast(node: NodeId) {
  for (;;) {
    try {
      return await openPostgresCluster({ address, node, name, version: '1' })
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      note(error)
      await sleep(AGAIN_MS)
    }
  }
}
