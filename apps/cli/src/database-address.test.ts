import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { CliError, EXIT } from './console/cli-error.ts'
import { databaseAddress } from './database-address.ts'

afterEach(() => vi.unstubAllEnvs())

const PASSWORD = 'sehr-geheim'

function refusal(flags: Parameters<typeof databaseAddress>[0]): CliError {
  try {
    databaseAddress(flags)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    expect(error.message).not.toContain(PASSWORD)
    return error
  }
  throw new Error('it was not refused')
}

function file(text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'hp-address-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'database')
  writeFileSync(path, text, { mode })
  return path
}

describe('the address of the database', () => {
  it('T72 is refused on the command line if it has a password, with the three other ways', () => {
    const { message, exitCode } = refusal({ database: `postgres://a:${PASSWORD}@localhost/b` })
    expect(exitCode).toBe(EXIT.usage)
    for (const way of ['HOLDPOINT_DATABASE', '--database-file', '~/.pgpass']) expect(message).toContain(way)
    expect(databaseAddress({ database: 'postgres://a@localhost/b' })).toMatchObject({ user: 'a', port: 5432 })
  })

  it('T72 comes from a file that only the user can access, or from the environment', () => {
    vi.stubEnv('HOLDPOINT_DATABASE', undefined)
    expect(databaseAddress({})).toBeUndefined()
    const text = `postgres://a:${PASSWORD}@localhost/b\n`
    expect(databaseAddress({ databaseFile: file(text) })).toMatchObject({ password: PASSWORD, database: 'b' })
    for (const mode of [0o640, 0o604, 0o622]) {
      const path = file(text)
      chmodSync(path, mode)
      expect(refusal({ databaseFile: path })).toMatchObject({ exitCode: EXIT.refused })
    }
    expect(refusal({ databaseFile: '/etc/hostname' }).exitCode).toBe(EXIT.refused)
    expect(refusal({ databaseFile: '/no/such/file' })).toMatchObject({
      exitCode: EXIT.usage,
      message: 'There is no file /no/such/file.',
    })
    const empty = file('')
    expect(refusal({ databaseFile: empty }).message).toContain(`${empty}: The address of the database`)
    vi.stubEnv('HOLDPOINT_DATABASE', 'db.example/b')
    expect(refusal({}).message).toContain('HOLDPOINT_DATABASE: The address of the database')
    vi.stubEnv('HOLDPOINT_DATABASE', text.trim())
    expect(databaseAddress({})).toMatchObject({ password: PASSWORD })
    expect(databaseAddress({ database: 'postgres://other@localhost/b' })).toMatchObject({ user: 'other' })
  })

  it.each([
    'mysql://a:sehr-geheim@localhost/b',
    'postgres://a:sehr-geheim@localhost/b?sslmode=sehr-geheim',
    'postgres://a:sehr-geheim@db.example/b?sslmode=require',
    'postgres://a:sehr-geheim@@localhost',
    'postgres://a:sehr%-geheim@localhost/b',
    'sehr-geheim',
  ])('is refused with a sentence that does not have it: %s', (address) => {
    vi.stubEnv('HOLDPOINT_DATABASE', address)
    expect(refusal({})).toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringMatching(/^HOLDPOINT_DATABASE: The address of the database cannot be used: /),
    })
  })
})
