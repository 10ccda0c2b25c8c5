import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { startGatewayProcess } from './gateway-process.ts'
import { until } from './until.ts'

it('[T54] lets nobody else read what is kept', async () => {
  const root = mkdtempSync(join(tmpdir(), 'hp-modes-'))
  const dataDir = join(root, 'data')
  const gateway = await startGatewayProcess({ dataDir, env: { SYNTHETIC_NOTES: root } })
  try {
    const { id } = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: root })
    await until(async () => (await gateway.api.openAsks(id)).length > 0, 'an ask')
    const upload = { 'content-type': 'text/plain' }
    expect((await gateway.api.call('POST', '/api/attachments', 'some text', upload)).status).toBe(201)

    const found = walk(dataDir)
    expect(found.length).toBeGreaterThan(5)
    const open = found.filter((path) => (lstatSync(path).mode & 0o077) !== 0)
    expect(open).toEqual([])
    expect(lstatSync(dataDir).mode & 0o777).toBe(0o700)

    if (process.getuid?.() !== 0) return
    for (const path of found.filter((entry) => lstatSync(entry).isFile())) {
      const read = spawnSync('cat', [path], { uid: 65534, gid: 65534, encoding: 'utf8' })
      expect(read.stderr, path).toMatch(/Permission denied/)
    }
    for (const name of ['host.sock', 'gateway.sock']) {
      const script = `require('net').connect(${JSON.stringify(join(dataDir, name))}).on('error', (error) => console.log(error.code)).on('connect', () => process.exit(9))`
      const dial = spawnSync(process.execPath, ['-e', script], { uid: 65534, gid: 65534, encoding: 'utf8', cwd: '/' })
      expect(dial.stdout.trim(), name).toBe('EACCES')
    }
  } finally {
    await gateway.stop()
    await (await connectHost({ dataDir, hostMain: '' })).shutdown()
    rmSync(root, { recursive: true, force: true })
  }
})

/** Not what is on its way to its place: it may be gone before it is looked at. */
function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name.endsWith('.new')) return []
    const path = join(folder, name)
    return lstatSync(path).isDirectory() ? [path, ...walk(path)] : [path]
  })
}
