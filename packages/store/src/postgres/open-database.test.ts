import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { StoreFault } from '@holdpoint/core/store'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { askId, eventsOf, sampleAppend, sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { fillSample } from '../fixtures/sample-database.ts'
import { readPostgresUrl } from './address.ts'
import { connectPostgres } from './connection.ts'
import { MIGRATION_LOCK } from './migrations.ts'
import { createPostgresStore, type PostgresStore } from './postgres-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

const open = (address: string) => createPostgresStore({ address, node: 'a', version: '1', checkTimes: false })
async function refusal(address: string): Promise<string> {
  const error = (await open(address).catch((reason: unknown) => reason)) as StoreFault
  expect(error.name).toBe('StoreFault')
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('secret')
  return `${error.code}: ${error.message}`
}

describe('F64 a server that is refused', () => {
  it.each([
    ['fsync', /^io: The server has fsync=off/],
    ['full_page_writes', /^io: The server has full_page_writes=off/],
  ])('because it could lose commits: %s=off', async (setting, sentence) => {
    await using own = await startPostgres({ [setting]: 'off' })
    expect(await refusal(await own.createDatabase())).toMatch(sentence)
  })

  it('because it cannot be written to, or cannot hold every text', async () => {
    const address = await server.createDatabase()
    await server.sql(
      `DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET default_transaction_read_only = on'; END $$`,
      address,
    )
    expect(await refusal(address)).toMatch(/^io: The server or this user is set to read-only/)
    expect(await refusal(await server.createDatabase({ encoding: 'SQL_ASCII' }))).toMatch(/has the encoding SQL_ASCII/)
  })

  it('because of what is there: a newer format, or something else', async () => {
    const newer = await server.createDatabase()
    await (await open(newer)).close()
    await server.sql('UPDATE holdpoint.cluster SET format = 99', newer)
    expect(await refusal(newer)).toMatch(
      /^newer-schema: The database .* was written by a newer Holdpoint \(its format is 99/,
    )
    const other = await server.createDatabase()
    await server.sql('CREATE SCHEMA holdpoint; CREATE TABLE holdpoint.cluster (a int)', other)
    expect(await refusal(other)).toMatch(/^corrupt: The schema "holdpoint" of .* is not one of Holdpoint/)
    const cut = await server.createDatabase()
    await (await open(cut)).close()
    await server.sql('DELETE FROM holdpoint.cluster', cut)
    expect(await refusal(cut)).toMatch(/^corrupt/)
  })

  it('T72 because of whose it is: the owner of a schema can put other functions in the place of ours', async () => {
    const address = await server.createDatabase()
    const as = (user: string) => address.replace('holdpoint@', `${user}@`)
    await server.sql('CREATE ROLE another LOGIN; CREATE ROLE gateway LOGIN')
    await server.sql(`GRANT CREATE ON DATABASE ${address.split('/').at(-1)} TO another, gateway`)
    await server.sql('CREATE SCHEMA holdpoint; GRANT ALL ON SCHEMA holdpoint TO gateway', as('another'))
    expect(await refusal(as('gateway'))).toMatch(/^io: The schema "holdpoint" of .* belongs to another role/)
    await server.sql('DROP SCHEMA holdpoint', as('another'))
    await (await open(as('gateway'))).close()
  })

  it('because it does not answer, or does not prove who it is', async () => {
    expect(await refusal('postgres://a:secret@127.0.0.1:1/b')).toMatch(/^io: No database answers there/)
    expect(await refusal('postgres://a:secret@no-such-host.invalid/b')).toMatch(/host is not known/)
    const address = await server.createDatabase()
    expect(await refusal(`${address}?sslmode=verify-full`)).toMatch(/The server has no TLS/)
    expect(await refusal(address.replace(/[^/]+$/, 'nothing'))).toMatch(/has no such database/)
  })

  it('because the password is missing or wrong', async () => {
    await using own = await startPostgres()
    const address = await own.createDatabase()
    await own.sql(`CREATE ROLE someone LOGIN PASSWORD 'right secret'`)
    await own.sql(`GRANT CREATE ON DATABASE ${address.split('/').at(-1)} TO someone`)
    const rules = join(own.folder, 'data', 'pg_hba.conf')
    writeFileSync(rules, `host all someone all scram-sha-256\n${readFileSync(rules, 'utf8')}`)
    await own.sql('SELECT pg_reload_conf()')
    const as = (user: string) => address.replace('holdpoint@', `${user}@`)
    const passwords = join(own.folder, 'passwords')
    vi.stubEnv('PGPASSFILE', passwords)
    vi.stubEnv('PGPASSWORD', 'right secret')
    expect(await refusal(as('someone'))).toMatch(/asks for a password, and there is none/)
    expect(await refusal(as('someone:wrong%20secret'))).toMatch(/does not accept this user or password/)
    writeFileSync(passwords, `*:*:*:other:no\n127.0.0.1:${own.port}:*:someone:right secret\n`, { mode: 0o600 })
    await (await open(as('someone'))).close()
    await (await open(as('someone:right%20secret'))).close()
  })

  it.each([
    ['asks for the password', 3, /^io: What answers there wants the password/],
    ['asks for it as MD5', 5, /^io: What answers there wants the password/],
    ['asks for nothing', 0, /^io: What answers there did not prove that it knows the password/],
  ])('T72 because another program at its port %s, and gets nothing', async (_, kind, sentence) => {
    const got: string[] = []
    const program = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.on('data', (bytes) => {
          got.push(bytes.toString('latin1'))
          socket.destroy()
        })
        const salt = kind === 5 ? 'salt' : ''
        const length = Buffer.from([0, 0, 0, 8 + salt.length, 0, 0, 0, kind])
        const ready = kind === 0 ? Buffer.from('Z\0\0\0\x05I') : Buffer.alloc(0)
        socket.write(Buffer.concat([Buffer.from('R'), length, Buffer.from(salt), ready]))
      })
    })
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
    const { port } = program.address() as AddressInfo
    const said = await refusal(`postgres://a:very%20secret@127.0.0.1:${port}/b`)
    await new Promise((resolve) => program.close(resolve))
    expect(got).toEqual([])
    expect(said).toMatch(sentence)
  })

  it('because a pooler in transaction mode stands before it', { timeout: 20_000 }, async () => {
    const address = await server.createDatabase()
    await using pooler = await startDeafProxy(server.port)
    expect(await refusal(address.replace(String(server.port), String(pooler.port)))).toMatch(/connection pooler/)
  })
})

it('takes nothing from the environment, and its own settings before those of the role', async () => {
  const address = await server.createDatabase()
  await server.sql('ALTER ROLE holdpoint SET synchronous_commit = off')
  for (const [name, value] of Object.entries({
    PGHOST: 'no-such-host.invalid',
    PGDATABASE: 'nothing',
    PGOPTIONS: '-c synchronous_commit=off',
    PGSSLMODE: 'require',
    PGREPLICATION: 'database',
    PGAPPNAME: 'other',
    PGCLIENTENCODING: 'LATIN1',
  }))
    vi.stubEnv(name, value)
  await (await open(address)).close()
  const client = await connectPostgres(readPostgresUrl(address))
  const setting = async (name: string) =>
    (await client.query(`SELECT current_setting('${name}') AS value`)).rows[0].value
  expect(await setting('synchronous_commit')).toBe('on')
  expect(await setting('application_name')).toBe('holdpoint')
  expect(await setting('client_encoding')).toBe('UTF8')
  expect(await setting('statement_timeout')).toBe('10s')
  await client.end()
  vi.unstubAllEnvs()
  await server.sql('ALTER ROLE holdpoint RESET synchronous_commit')
})

it('is called off while it waits for another one that changes the schema', async () => {
  const address = await server.createDatabase()
  const other = await connectPostgres(readPostgresUrl(address))
  await other.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`)
  const stop = new AbortController()
  const opening = createPostgresStore({ address, node: 'a', version: '1', signal: stop.signal })
  const ended = opening.catch((error: unknown) => error)
  await until(async () => {
    const [row] = await server.sql(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`, address)
    return row?.count === '1'
  }, 'a start that waits')
  stop.abort()
  expect(await ended).toMatchObject({ name: 'AbortError' })
  await other.end()
})

it('opens by a Unix socket', async () => {
  const address = await server.createDatabase()
  const store = await open(`postgres://holdpoint@:${server.port}/${address.split('/').at(-1)}?host=${server.folder}`)
  expect(await store.lastSeq()).toBe(0)
  expect(store.warnings).toEqual([])
  await store.close()
})

it('warns of a standby that is not synchronous', async () => {
  const address = await server.createDatabase()
  await server.sql(`SELECT pg_create_physical_replication_slot('standby')`)
  const store = await open(address)
  expect(store.warnings).toEqual([expect.stringMatching(/standby that is not synchronous/)])
  await store.close()
  await server.sql(`SELECT pg_drop_replication_slot('standby')`)
})

it('fills the indexes behind the log without a gap where gateways of two versions have filled them', async () => {
  const address = await server.createDatabase()
  const older = await open(address)
  const events = eventsOf(1)
  const asks = [1, 2, 3].flatMap((n) => [events.raised(sampleAsk(n)), events.settled(n)])
  await older.append([sampleAppend({ after: 0, events: [events.started(), ...asks] })])
  const index = async (store: PostgresStore) => {
    await store.indexHistory({ pause: async () => {} })
    await store.indexCalls(() => ({ text: 'ls', about: ' ls ', stem: undefined }), { pause: async () => {} })
  }
  await index(older)
  await older.close()
  for (const table of ['history', 'past_calls']) {
    const second = `SELECT settled_seq FROM holdpoint.${table} ORDER BY 1 OFFSET 1 LIMIT 1`
    await server.sql(`UPDATE holdpoint.${table} SET version = 0 WHERE settled_seq = (${second})`, address)
  }
  const newer = await open(address)
  await index(newer)
  expect((await newer.history({ limit: 9 })).records.map(({ ask }) => ask.id)).toEqual([3, 2, 1].map(askId))
  expect((await newer.pastCalls({ from: 0 })).map(({ asks }) => asks)).toEqual([3])
  expect((await newer.verify()).fault).toBeUndefined()
  await newer.close()
})

describe('T46 verifying', () => {
  it.each([
    `UPDATE events SET data = replace(data, 'Bash', 'bash') WHERE seq = 7`,
    `UPDATE events SET at = at + 1 WHERE seq = 9`,
    `UPDATE events SET hash = prev_hash WHERE seq = 9`,
    `DELETE FROM events WHERE seq = 9`,
    `DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)`,
    `UPDATE sessions SET data = replace(data, 'false', 'true')`,
    `UPDATE sessions SET checkpoint = checkpoint + 1`,
    `UPDATE sessions SET vendor_key = hash`,
    `UPDATE sessions SET ended_at = 1`,
    `UPDATE asks SET settled_seq = NULL WHERE raised_seq = 2`,
    `UPDATE asks SET request_key = '\\x00' WHERE raised_seq = 2`,
    `UPDATE items SET status = 'queued'`,
    `DELETE FROM items WHERE seq = 3`,
    `UPDATE rules SET removed_seq = NULL`,
    `INSERT INTO rules VALUES ('ses_x', 'rul_x', 1)`,
    `UPDATE records SET value = '{"role":"owner"}'`,
    `DELETE FROM history WHERE settled_seq = (SELECT min(settled_seq) FROM history)`,
  ])('finds the edit: %s', async (edit) => {
    const address = await server.createDatabase()
    const store = await open(address)
    await fillSample(store)
    await store.indexHistory({ pause: async () => {} })
    expect((await store.verify()).fault).toBeUndefined()
    await server.sql(`SET search_path = holdpoint; ${edit}`, address)
    expect((await store.verify()).fault?.problem).toBeTruthy()
    await store.close()
  })

  it('T69 refuses to go on with a session that the log does not bear out', async () => {
    const address = await server.createDatabase()
    const store = await open(address)
    await fillSample(store)
    await server.sql(`UPDATE holdpoint.events SET data = replace(data, '"phone"', '"tablet"') WHERE seq = 5`, address)
    await expect(store.liveSessions()).rejects.toMatchObject({ code: 'corrupt' })
    await store.close()
  })
})

/** Hands on everything but notifications, as a pooler that gives each statement another server process. */
async function startDeafProxy(port: number) {
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let rest = Buffer.alloc(0)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].map((each) => each.destroy()))
    }
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
        const end = rest.readInt32BE(1) + 1
        if (rest[0] !== 'A'.charCodeAt(0)) client.write(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: (proxy.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
