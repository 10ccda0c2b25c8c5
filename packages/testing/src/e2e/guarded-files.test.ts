import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RealGateway, startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const bash = (command: string) => use('Bash', { command })

/** The policy file, where a person keeps it. */
const own = mkdtempSync(join(tmpdir(), 'hp-own-policy-'))
const POLICY = join(own, 'policy.json')
const KEPT = JSON.stringify({ rules: [{ effect: 'deny', pattern: 'Bash(touch denied.txt)' }] })

/** Each would change something that decides about agents. */
function attempts() {
  const { dataDir, home } = real
  const settings = join(home, '.claude')
  return [
    use('Write', { file_path: join(dataDir, 'policy.json'), content: '{}' }),
    use('Write', { file_path: join(settings, 'settings.local.json'), content: '{}' }),
    use('Write', { file_path: 'link/new.json', content: '{}' }),
    bash(`touch ${dataDir}/made`),
    bash('touch link/made'),
    bash(`echo '{"rules":[]}' > ${POLICY}`),
    bash(`cp free.txt ${POLICY}`),
    bash(`sed -i s/a/b/ ${settings}/settings.json`),
    bash('echo {} > ~/.claude/settings.json'),
    bash('cp free.txt .holdpoint/policy.json'),
    bash('rm -r .holdpoint'),
  ]
}

/** The user's own settings allow everything. */
const SETTINGS = JSON.stringify({ permissions: { allow: ['Bash', 'Edit', 'Write', 'Read'] } })
const ALLOWED = ['touch *', 'cp *', 'echo *', 'rm *', 'cat *'].map((words) => `Bash(${words})`)

let real: RealGateway
beforeAll(async () => {
  chmodSync(own, 0o700)
  await writeFile(POLICY, KEPT, { mode: 0o600 })
  real = await startRealGateway({
    env: { POLICY_FILE: POLICY },
    scripts: {
      guarded: (call) => steps([bash('touch free.txt'), ...attempts(), bash('touch denied.txt')])(call),
    },
  })
  await mkdir(join(real.home, '.claude'), { recursive: true })
  await writeFile(join(real.home, '.claude', 'settings.json'), SETTINGS)
  for (const pattern of [...ALLOWED, 'Edit(//**)', 'Read(//**)']) {
    const rule = { effect: 'allow', agent: '*', pattern, scope: { kind: 'everywhere' } }
    await real.api.ok('POST', '/api/policy/rules', rule)
  }
})
afterAll(async () => {
  await real[Symbol.asyncDispose]()
  rmSync(own, { recursive: true, force: true })
})

async function prepare(cwd: string) {
  await mkdir(join(cwd, '.holdpoint'))
  await writeFile(join(cwd, '.holdpoint', 'policy.json'), '{"rules":[]}')
  await symlink(real.dataDir, join(cwd, 'link'))
}

describe('files that decide about agents', () => {
  it.each(['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'dontAsk'])(
    'T71 are not changed without a person in %s, whatever rules and settings allow',
    async (permissionMode) => {
      const session = await real.session('guarded', { permissionMode, prepare })
      const asked: string[] = []
      for (const attempt of attempts()) {
        const ask = await session.ask(({ id }) => !asked.includes(id))
        asked.push(ask.id)
        expect([attempt.input, ask.askedBecause?.reason]).toEqual([
          attempt.input,
          expect.stringContaining('is guarded'),
        ])
        await session.answer(ask, { kind: 'deny' })
      }
      await session.idle()
      expect(await session.asks()).toEqual([])
      // In plan mode no rule allows.
      if (permissionMode !== 'plan') expect(await session.file('free.txt')).toBe('')
      expect(await session.file('denied.txt')).toBeUndefined()
      expect(await session.file('.holdpoint/policy.json')).toBe('{"rules":[]}')
      expect(await session.file('link/made')).toBeUndefined()
      expect(await readFile(POLICY, 'utf8')).toBe(KEPT)
      expect(await readFile(join(real.home, '.claude', 'settings.json'), 'utf8')).toBe(SETTINGS)
      expect((await session.read()).frozen).toBeUndefined()
    },
  )
})
