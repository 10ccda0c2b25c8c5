import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rowHash } from '@holdpoint/store/log-row'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { SELECT_LOG_ROWS } from '@holdpoint/store/testing/select-log-rows'
import { expect, it } from 'vitest'
import { runCommand, startBuiltGateway } from './built-gateway.ts'

const OLD_DATA = fileURLToPath(new URL('fixtures/data-94efb8d', import.meta.url))

it('T69 F23 a gateway does not start on an edited outcome, says which, and starts without that session once it is accepted', async () => {
  const root = mkdtempSync(join(tmpdir(), 'hp-edited-'))
  const dataDir = join(root, 'data')
  try {
    cpSync(OLD_DATA, dataDir, { recursive: true })
    const seq = await turnIntoItsOpposite(join(dataDir, 'holdpoint.db'))

    const refused = await runCommand(['start', '--port', '0', '--data', dataDir], { home: dataDir })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(`at event ${seq}`)
    expect(refused.stderr).toContain('holdpoint verify --accept')
    const broken = await runCommand(['verify', '--data', dataDir], { home: dataDir })
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT intact') })
    expect(broken.stdout).not.toContain('head')
    const accepted = await runCommand(['verify', '--accept', '--data', dataDir], { home: dataDir })
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining(`Row: seq ${seq}`) })
    expect(accepted.stderr).toContain('The record is intact, except for one damaged session')

    const gateway = await startBuiltGateway({ dataDir })
    const { sessions } = await gateway.api.ok<{ sessions: { title: string; endReason?: string }[] }>(
      'GET',
      '/api/sessions',
    )
    expect(sessions.find(({ title }) => title === 'Every kind of ask')?.endReason).toBe('record-damaged')
    await gateway[Symbol.asyncDispose]()
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

/** A no becomes a yes, with the hash that such a row would have. Gives back the first row that does not fit any more. */
async function turnIntoItsOpposite(path: string): Promise<number> {
  const connection = (await loadSqliteDriver()).open(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  const row = connection.prepare(`${SELECT_LOG_ROWS} WHERE data LIKE '%Leave the build alone.%'`).get([]) as Parameters<
    typeof rowHash
  >[0] & { seq: number }
  const data = row.data.replace('"kind":"denied"', '"kind":"allowed"')
  const values = [data, rowHash({ ...row, data }), row.seq]
  connection.prepare('UPDATE events SET data = ?, hash = ? WHERE seq = ?').run(values)
  const next = connection
    .prepare('SELECT min(seq) AS seq FROM events WHERE session_id = ? AND seq > ?')
    .get([row.sessionId, row.seq]) as { seq: number }
  connection.close()
  return next.seq
}
