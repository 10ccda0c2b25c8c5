import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { type WebSocket, WebSocketServer } from 'ws'
import { machineNow, serveCommands } from './commands.ts'
import { type Load, runLoad } from './workload.ts'

/**
 * What to compare with: `ws` and the same SQLite with the same settings, and nothing else. An ask is one row, one
 * message, one message back and one change of the row, each committed by itself: no log, no hashes, no credentials.
 */
const { dataDir } = JSON.parse(process.argv[2] ?? '{}') as { dataDir: string }
const database = (await loadSqliteDriver()).open(join(dataDir, 'bare.db'))
database.exec('PRAGMA locking_mode = EXCLUSIVE')
database.exec('PRAGMA journal_mode = WAL')
database.exec('PRAGMA synchronous = FULL')
database.exec('CREATE TABLE asks (id INTEGER PRIMARY KEY, ask TEXT NOT NULL, answer TEXT) STRICT')
const insert = database.prepare('INSERT INTO asks (id, ask) VALUES (?, ?)')
const update = database.prepare('UPDATE asks SET answer = ? WHERE id = ?')
const waiting = new Map<number, () => void>()
let asks = 0

const http = createServer()
const server = new WebSocketServer({ server: http, perMessageDeflate: false })
server.on('connection', (socket: WebSocket) => {
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const text = data.toString()
    const { id } = JSON.parse(text) as { id: number }
    update.run([text, id])
    waiting.get(id)?.()
  })
})
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

function toAll(text: string) {
  for (const socket of server.clients) socket.send(text)
}

function cycle(): Promise<void> {
  const id = ++asks
  const text = JSON.stringify({ id, ask: askRequest({ requestId: `req-${id}` }) })
  insert.run([id, text])
  return new Promise((resolve) => {
    waiting.set(id, () => {
      waiting.delete(id)
      resolve()
    })
    toAll(text)
  })
}

serveCommands(
  {
    roundTrip: (load: Load) => runLoad(load, cycle),
    say({ text }: { text: string }) {
      const at = machineNow()
      toAll(text)
      return at
    },
    close() {
      for (const socket of server.clients) socket.terminate()
      http.close()
      database.close()
    },
  },
  { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` },
)
