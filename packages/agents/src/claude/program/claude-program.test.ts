import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ClaudeProgramDeps, createClaudeProgram, type Sdk } from './claude-program.ts'
import { CLAUDE_VERSION, SDK_VERSION } from './install-sdk.ts'
import { SDK_PACKAGES } from './sdk-packages.ts'

const NOTHING_BESIDE = async (): Promise<Sdk> => {
  throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
}

/** A machine with an npm that notes how it was called, and installs a module that says where it is. */
async function machine(npm = 'true') {
  const root = await mkdtemp(join(tmpdir(), 'hp-claude-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const bin = join(root, 'bin')
  await mkdir(bin)
  const program = async (name: string, script: string, folder = bin) => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  await program(
    'npm',
    `echo "$@" >> '${root}/calls'; env > '${root}/env'
${npm} || { echo 'npm error network' >&2; exit 1; }
d=node_modules/@anthropic-ai/claude-agent-sdk; mkdir -p $d $d-of-this-machine
echo 'export const query = () => import.meta.url' > $d/sdk.mjs`,
  )
  const said: string[] = []
  const logged: string[] = []
  const path = [bin, process.env.PATH]
  const create = (more: Partial<ClaudeProgramDeps> = {}) =>
    createClaudeProgram({
      checkGate: async () => undefined,
      folder: join(root, 'claude'),
      nodeFolder: bin,
      environment: {
        PATH: path.join(delimiter),
        npm_config_prefix: '/elsewhere',
        HTTPS_PROXY: 'http://p',
      },
      info: (message) => void logged.push(message),
      importSdk: NOTHING_BESIDE,
      ...more,
    })
  return {
    root,
    said,
    logged,
    create,
    path,
    program,
    say: (text: string) => void said.push(text),
    calls: async () => (await readFile(join(root, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    environment: () => readFile(join(root, 'env'), 'utf8'),
  }
}

describe('finding Claude Code', () => {
  it('takes the SDK that is installed beside us, and downloads nothing', async () => {
    const here = await machine()
    const sdk = { query: () => 'beside' } as unknown as Sdk
    expect(await here.create({ importSdk: async () => sdk }).load(here.say)).toEqual({ sdk })
    await here.program('my-claude', `echo '${CLAUDE_VERSION} (Claude Code)'`)
    const executable = join(here.root, 'bin', 'my-claude')
    const chosen = await here.create({ importSdk: async () => sdk, executable }).load(here.say)
    expect(chosen).toEqual({ sdk, executable })
    expect([await here.calls(), here.said]).toEqual([[], []])
  })

  it.each([
    ["echo '1.0.0 (Claude Code)'", 'is version 1.0.0'],
    ["echo '2.1.324 (Claude Code)'", 'is version 2.1.324'],
    ["echo 'hello'", 'does not report its version'],
    ['exit 1', 'does not report its version'],
  ])('[T57] refuses a chosen claude that answers %s', async (script, why) => {
    const here = await machine()
    await here.program('my-claude', script)
    const executable = join(here.root, 'bin', 'my-claude')
    for (const importSdk of [async () => ({}) as Sdk, NOTHING_BESIDE]) {
      await expect(here.create({ importSdk, executable }).load()).rejects.toMatchObject({
        code: 'agent-too-old',
        message: expect.stringContaining(why),
      })
    }
    expect(await here.calls()).toEqual([])
  })

  it('[T57] runs a newer claude only after its gate was checked, and says so', async () => {
    const here = await machine()
    await here.program('my-claude', "echo '2.1.326 (Claude Code)'")
    const executable = join(here.root, 'bin', 'my-claude')
    const checks: string[] = []
    const found = async (failure: string | undefined) => {
      const checkGate: ClaudeProgramDeps['checkGate'] = async ({ version }) => {
        checks.push(version)
        return failure
      }
      return here.create({ importSdk: async () => ({}) as Sdk, executable, checkGate }).load(here.say)
    }
    expect(await found(undefined)).toMatchObject({ executable, notice: expect.stringContaining('2.1.326 is newer') })
    await expect(found('a command ran')).rejects.toMatchObject({
      code: 'agent-untested',
      message: expect.stringContaining('a command ran'),
    })
    expect(checks).toEqual(['2.1.326', '2.1.326'])
    expect(here.said).toContain('Checking that Claude Code 2.1.326 asks before it acts.')
  })

  it('does not hide an SDK that is there and broken', async () => {
    const here = await machine()
    const broken = here.create({ importSdk: () => Promise.reject(new SyntaxError('half a file')) })
    await expect(broken.load()).rejects.toThrow('half a file')
    expect(await here.calls()).toEqual([])
  })

  it('downloads it once for all who wait, tells each of them the size, and finds it again the next time', async () => {
    const here = await machine()
    const claude = here.create()
    const others: string[] = []
    const [one, other] = await Promise.all([claude.load(here.say), claude.load((text) => void others.push(text))])
    expect(one).toBe(other)
    expect(one.executable).toBeUndefined()
    expect(here.said).toEqual([
      expect.stringMatching(/Claude Code \(170 MB .*350 MB/),
      expect.stringMatching(/in \d+ s/),
    ])
    expect(others).toEqual(here.said)
    expect(here.logged.length).toBeGreaterThanOrEqual(2)
    const again = await here.create().load(here.say)
    expect(String((again.sdk.query as unknown as () => string)())).toContain(`/claude/${SDK_VERSION}/node_modules/`)
    const calls = await here.calls()
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatch(/^ci .*--ignore-scripts/)
    expect(calls[0]).not.toContain('--omit')
    expect(here.said).toHaveLength(2)
    const environment = await here.environment()
    expect(environment).toContain('HTTPS_PROXY=http://p')
    expect(environment).not.toContain('/elsewhere')
  })

  it('uses the claude of the PATH, unless it is older than what was measured', async () => {
    const here = await machine()
    const claude = join(here.root, 'bin', 'claude')
    await here.program('claude', `echo '${CLAUDE_VERSION} (Claude Code)'`)
    expect((await here.create().load(here.say)).executable).toBe(claude)
    expect((await here.calls())[0]).toContain('--omit=optional')
    expect(here.said[0]).toContain('5 MB')
    for (const version of ['3.0.0', '2.2.0', '2.1.1000']) {
      await here.program('claude', `echo '${version} (Claude Code)'`)
      expect((await here.create().load()).executable, version).toBe(claude)
    }
    for (const script of ["echo '2.1.9 (Claude Code)'", "echo '1.9.999'", "echo 'hello'", 'exit 1']) {
      await here.program('claude', script)
      expect((await here.create().load()).executable, script).toBeUndefined()
    }
    expect(await here.calls()).toHaveLength(2)
  })

  it('says why a download failed, leaves nothing that passes for one, and tries again for the next session', async () => {
    const here = await machine('false')
    const claude = here.create()
    await expect(claude.load(here.say)).rejects.toMatchObject({
      code: 'agent-missing',
      message: expect.stringMatching(/npm error network.*HOLDPOINT_CLAUDE/s),
    })
    expect(await readdir(join(here.root, 'claude'))).toEqual([`${SDK_VERSION}.next`])
    await here.program(
      'npm',
      'd=node_modules/@anthropic-ai/claude-agent-sdk; mkdir -p $d $d-of-this-machine; echo "export const query = 1" > $d/sdk.mjs',
    )
    expect((await claude.load()).sdk).toMatchObject({ query: 1 })
    expect(await readdir(join(here.root, 'claude'))).toEqual([SDK_VERSION])
  })

  it('has npm refuse every byte that is not the known one', async () => {
    const here = await machine()
    await here.create().load()
    const lock = JSON.parse(await readFile(join(here.root, 'claude', SDK_VERSION, 'package-lock.json'), 'utf8'))
    const locked = Object.entries<{ version?: string; integrity?: string }>(lock.packages).filter(([path]) => path)
    expect(locked.length).toBeGreaterThan(8)
    for (const [path, { version, integrity }] of locked)
      expect([version, integrity], path).toEqual([SDK_VERSION, expect.stringMatching(/^sha512-\S{88}$/)])
  })

  it.each([
    ['did not install the SDK', 'mkdir -p node_modules/@anthropic-ai/claude-agent-sdk-of-this-machine'],
    ['did not install Claude Code', 'd=node_modules/@anthropic-ai/claude-agent-sdk; mkdir -p $d; echo > $d/sdk.mjs'],
  ])('does not take for an installation what npm left: it %s', async (why, script) => {
    const here = await machine()
    await here.program('npm', script)
    await expect(here.create().load()).rejects.toMatchObject({
      code: 'agent-missing',
      message: expect.stringContaining(why),
    })
    expect(await readdir(join(here.root, 'claude'))).toEqual([`${SDK_VERSION}.next`])
  })

  it('puts a download in the place of a folder that somebody emptied', async () => {
    const here = await machine()
    await mkdir(join(here.root, 'claude', SDK_VERSION, 'node_modules', 'rest'), { recursive: true })
    await here.create().load()
    expect(await readdir(join(here.root, 'claude'))).toEqual([SDK_VERSION])
    expect(await readdir(join(here.root, 'claude', SDK_VERSION, 'node_modules'))).toEqual(['@anthropic-ai'])
  })

  it('runs no npm, node or claude that a repository has put in front', async () => {
    const here = await machine()
    const planted = `touch '${here.root}/planted'; echo '9.9.9 (Claude Code)'`
    const bin = join(here.root, 'repository', 'node_modules', '.bin')
    const relative = join('node_modules', `hp-planted-${process.pid}`)
    onTestFinished(() => rm(relative, { recursive: true, force: true }))
    for (const folder of [bin, relative])
      for (const name of ['npm', 'claude', 'env', 'mkdir']) await here.program(name, planted, folder)
    here.path.unshift(bin, `${bin}/`, relative, '.', '')
    const found = await here.create({ nodeFolder: join(here.root, 'no-npm-here') }).load()
    expect(found.executable).toBeUndefined()
    expect(await here.calls()).toHaveLength(1)
    expect(await readdir(here.root)).not.toContain('planted')
  })

  it('prefers the npm that came with the Node that runs us', async () => {
    const here = await machine()
    const nodeFolder = join(here.root, 'node')
    const d = 'node_modules/@anthropic-ai/claude-agent-sdk'
    await here.program('npm', `mkdir -p ${d} ${d}-x; echo 'export const query = 7' > ${d}/sdk.mjs`, nodeFolder)
    expect((await here.create({ nodeFolder }).load()).sdk).toMatchObject({ query: 7 })
    expect(await here.calls()).toEqual([])
  })

  it('ends a download when it is closed, and settles who waits', async () => {
    const here = await machine('exec sleep 600')
    const claude = here.create()
    const loading = claude.load()
    loading.catch(() => {})
    await until(async () => (await here.calls()).length === 1, 'npm to run')
    claude.close()
    await expect(loading).rejects.toMatchObject({ code: 'agent-missing' })
  })
})

it('downloads what this checkout is tested with, to the byte', async () => {
  const root = fileURLToPath(new URL('../../../../..', import.meta.url))
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const sdkPaths = Object.keys(packages).filter((path) => /^node_modules\/@anthropic-ai\/claude-agent-sdk/.test(path))
  const locked = sdkPaths.map((path) => {
    const { version, integrity, os, cpu, libc } = packages[path]
    expect(version).toBe(SDK_VERSION)
    const name = path.replace('node_modules/', '')
    return { name, integrity, ...(os && { os }), ...(cpu && { cpu }), ...(libc && { libc }) }
  })
  expect(SDK_PACKAGES).toEqual(locked)
  const { dependencies } = JSON.parse(await readFile(join(root, 'packages/agents/package.json'), 'utf8'))
  expect(dependencies['@anthropic-ai/claude-agent-sdk']).toBe(SDK_VERSION)
  const sdk = join(root, 'node_modules/@anthropic-ai/claude-agent-sdk/package.json')
  expect(JSON.parse(await readFile(sdk, 'utf8')).claudeCodeVersion).toBe(CLAUDE_VERSION)
})
