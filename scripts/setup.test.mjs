import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SETUP = fileURLToPath(new URL('./setup.mjs', import.meta.url))
const LOCK = {
  packages: {
    '': {},
    'node_modules/zod': { version: '4.0.0' },
    'node_modules/else': { version: '1.0.0', optional: true },
  },
}

const BUILT = ['build programs', 'build web']

/** A checkout with an npm and a bundler that only note that they ran. */
describe('setting up a checkout', () => {
  let root

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hp-setup-'))
    for (const folder of [
      'scripts',
      'bin',
      'packages/server/src',
      'packages/react/src',
      'packages/core/src',
      'apps/cli/src',
    ])
      mkdirSync(join(root, folder), { recursive: true })
    copyFileSync(SETUP, join(root, 'scripts/setup.mjs'))
    write('package-lock.json', JSON.stringify(LOCK))
    write('packages/core/src/a.ts', 'export const a = 1')
    write('packages/server/src/b.ts', 'export const b = 1')
    write(
      'scripts/build.mjs',
      `import { appendFileSync, mkdirSync } from 'node:fs'
const part = process.argv[2]
appendFileSync('ran', 'build ' + part + '\\n')
if (process.env.BROKEN) { console.error('the bundler says no'); process.exit(3) }
mkdirSync(part === 'web' ? 'dist/web' : 'dist', { recursive: true })`,
    )
    write(
      'bin/npm',
      `#!/bin/sh
echo "npm $1" >> ran
if [ -n "$BROKEN" ]; then echo 'npm ERR! network' >&2; exit 1; fi
rm -rf node_modules; mkdir -p node_modules/zod; cp package-lock.json node_modules/.package-lock.json`,
    )
    chmodSync(join(root, 'bin/npm'), 0o755)
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  function write(path, text) {
    writeFileSync(join(root, path), text)
  }

  /** Runs both steps; gives what had to be done. */
  function setUp(env = {}) {
    rmSync(join(root, 'ran'), { force: true })
    const steps =
      "import('./scripts/setup.mjs').then(async (m) => { await m.ensureInstalled(); await m.ensureBuilt() })"
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', steps], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: join(root, 'bin') + delimiter + process.env.PATH, ...env },
    })
    const ran = existsSync(join(root, 'ran')) ? readFileSync(join(root, 'ran'), 'utf8').trim().split('\n') : []
    return { status, stdout, stderr, ran }
  }

  it('does everything once and nothing twice, with no word on stdout', () => {
    expect(setUp()).toMatchObject({ status: 0, ran: ['npm ci', ...BUILT], stdout: '' })
    expect(setUp()).toEqual({ status: 0, ran: [], stdout: '', stderr: '' })
  })

  it('builds again when a source has changed or gone, not when a test has', () => {
    setUp()
    write('packages/core/src/a.test.ts', '')
    expect(setUp().ran).toEqual([])
    write('packages/core/src/a.ts', 'export const a = 2')
    expect(setUp().ran).toEqual(BUILT)
    rmSync(join(root, 'packages/core/src/a.ts'))
    expect(setUp().ran).toEqual(BUILT)
    rmSync(join(root, 'dist'), { recursive: true })
    expect(setUp().ran).toEqual(BUILT)
  })

  it('builds only what a changed source is part of', () => {
    setUp()
    write('packages/server/src/b.ts', 'export const b = 2')
    expect(setUp().ran).toEqual(['build programs'])
    for (const name of ['card.tsx', 'theme.css']) {
      write(`packages/react/src/${name}`, 'new')
      expect(setUp().ran, name).toEqual(['build web'])
    }
    write('packages/react/src/card.test.tsx', '')
    expect(setUp().ran).toEqual([])
  })

  it('installs again when the lockfile has changed', () => {
    setUp()
    write('package-lock.json', JSON.stringify({ packages: { 'node_modules/zod': { version: '4.0.1' } } }))
    expect(setUp().ran).toEqual(['npm ci', ...BUILT])
  })

  it('takes over what somebody installed by hand, unless a package is missing', () => {
    mkdirSync(join(root, 'node_modules/zod'), { recursive: true })
    write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/zod': { version: '4.0.0' } } }))
    expect(setUp().ran).toEqual(BUILT)
    rmSync(join(root, 'node_modules/.holdpoint-stamp'))
    rmSync(join(root, 'node_modules/zod'), { recursive: true })
    expect(setUp().ran).toEqual(['npm ci'])
  })

  it("fails with npm's own words and advice, and starts over the next time", () => {
    const failed = setUp({ BROKEN: '1' })
    expect(failed).toMatchObject({ status: 1, ran: ['npm ci'], stdout: '' })
    expect(failed.stderr).toMatch(/npm ERR! network\n.*npm ping/s)
    expect(setUp()).toMatchObject({ status: 0, ran: ['npm ci', ...BUILT] })
  })

  it('never takes a failed build for a finished one', () => {
    setUp()
    write('packages/core/src/a.ts', 'export const a = 3')
    expect(setUp({ BROKEN: '1' })).toMatchObject({
      status: 1,
      ran: ['build programs'],
      stderr: expect.stringContaining('the bundler says no'),
    })
    expect(setUp()).toMatchObject({ status: 0, ran: BUILT })
  })
})
