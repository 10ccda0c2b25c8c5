import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { steps } from '@holdpoint/demo-model/scenarios'
import { say, use } from '@holdpoint/demo-model/script'
import { expect, it, vi } from 'vitest'
import { until } from '../until.ts'
import { type RealSession, startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000 })

const GIT = ['git status', 'git diff', 'git log -p', 'git show', 'git blame a.txt', 'git ls-files -m']
const READING = ['ls', 'cat a.txt', 'grep hi a.txt']
const bash = (command: string) => use('Bash', { command })

/** Eight ways in which a repository's own configuration runs a program; each leaves its mark. */
const TRAPS: Record<string, (mark: string) => string> = {
  fsmonitor: (mark) => `[core]\n\tfsmonitor = "touch ${mark}; false"\n`,
  external: (mark) => `[diff]\n\texternal = "touch ${mark}; true"\n`,
  textconv: (mark) => `[diff "t"]\n\ttextconv = "touch ${mark}; cat"\n`,
  driver: (mark) => `[diff "d"]\n\tcommand = "touch ${mark}; true"\n`,
  filter: (mark) => `[filter "f"]\n\tclean = "touch ${mark}; cat"\n\tsmudge = cat\n`,
  gpg: (mark) => `[gpg]\n\tprogram = "${mark}.sh"\n[log]\n\tshowSignature = true\n`,
  hooks: () => '[core]\n\thooksPath = hooks\n',
  ssh: (mark) => `[core]\n\tsshCommand = "touch ${mark}; false"\n[remote "origin"]\n\turl = ssh://localhost/x\n`,
}
const ATTRIBUTES = '*.txt diff=t\n*.md diff=d\n*.css filter=f\n'

async function hostileRepository(cwd: string) {
  const git = async (...args: string[]) => {
    const environment = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid']
    return (await promisify(execFile)('git', [...identity, ...args], { cwd, env: environment })).stdout
  }
  const marks = join(cwd, '..', 'marks')
  await mkdir(marks, { recursive: true })
  await mkdir(join(cwd, 'hooks'))
  const names = ['a.txt', 'b.md', 'c.css']
  for (const name of names) await writeFile(join(cwd, name), 'hi\n')
  await writeFile(join(cwd, '.gitattributes'), ATTRIBUTES)
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'x')
  // A signature that has to be looked at.
  const [head, ...rest] = (await git('cat-file', 'commit', 'HEAD')).split('\n\n')
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----'
  await writeFile(join(marks, 'commit'), `${head}\n${signature}\n\n${rest.join('\n\n')}`)
  await git('update-ref', 'HEAD', (await git('hash-object', '-t', 'commit', '-w', join(marks, 'commit'))).trim())
  for (const name of names) await writeFile(join(cwd, name), 'hi\nho\n')
  for (const [file, name] of [
    [join(marks, 'gpg.sh'), 'gpg'],
    [join(cwd, 'hooks/post-index-change'), 'hooks'],
  ] as const) {
    await writeFile(file, `#!/bin/sh\ntouch ${join(marks, name)}\n`)
    await chmod(file, 0o755)
  }
  for (const [name, text] of Object.entries(TRAPS)) await appendFile(join(cwd, '.git/config'), text(join(marks, name)))
}

async function denyGit(session: RealSession): Promise<string[]> {
  const asked: string[] = []
  while (asked.length < GIT.length) {
    const ask = await session.ask()
    asked.push(String(ask.tool?.input.command))
    await session.answer(ask, { kind: 'deny' })
  }
  await session.idle()
  return asked
}

it.concurrent('[T67] in a folder that nobody trusted every git asks, and nothing of its configuration runs', async () => {
  await using real = await startRealGateway({ scripts: { calls: steps([...READING, ...GIT].map(bash)) } })
  const marks = async () => (await readdir(join(real.root, 'marks'))).filter((name) => name in TRAPS).sort()
  for (const permissionMode of ['default', 'acceptEdits']) {
    const untrusted = await real.session('calls', { permissionMode, prepare: hostileRepository })
    expect(await denyGit(untrusted)).toEqual(GIT)
    expect(await marks()).toEqual([])
  }
  // The same where a person has trusted the folder: the traps are real.
  const trusted = await real.session('calls', { trust: true, prepare: hostileRepository })
  await trusted.idle()
  expect(await marks()).toEqual(expect.arrayContaining(['external', 'filter', 'fsmonitor', 'gpg', 'hooks', 'textconv']))
})

it.concurrent('[T65, T67] no command and no skill runs git by itself where nobody trusted the folder or everything asks', async () => {
  const told: string[] = []
  await using real = await startRealGateway({
    scripts: {
      calls(call) {
        told.push(...call.calls.map(({ result }) => result?.text ?? ''))
        const skills = ['security-review', 'mine'].map((skill) => use('Skill', { skill }))
        const isToUse = JSON.stringify(call.messages).includes('Use the skills.')
        const next = isToUse ? skills[call.calls.length] : undefined
        return next ? { content: [next] } : say('ready')
      },
    },
  })
  await mkdir(join(real.home, '.claude/skills/mine'), { recursive: true })
  const mine = '---\nname: mine\ndescription: d\n---\nState: !`git status`\n'
  await writeFile(join(real.home, '.claude/skills/mine/SKILL.md'), mine)
  const marks = async () => (await readdir(join(real.root, 'marks'))).filter((name) => name in TRAPS).sort()
  const reviewable = async (cwd: string) => {
    await hostileRepository(cwd)
    await mkdir(join(cwd, '.git/refs/remotes/origin'), { recursive: true })
    await writeFile(join(cwd, '.git/refs/remotes/origin/HEAD'), 'ref: refs/heads/master\n')
  }
  for (const start of [{ gate: 'default' }, { gate: 'everything' }, { gate: 'everything', trust: true }]) {
    const session = await real.session('calls', { ...start, prepare: reviewable })
    await session.idle()
    for (const text of ['/security-review', 'Use the skills.']) {
      await session.send(text)
      await until(async () => {
        for (const ask of await session.asks()) await session.answer(ask, { kind: 'allow' })
        return (await session.isIdle()) && (await session.read()).queuedMessages === 0
      }, 'the end of the turn')
    }
    expect(await marks()).toEqual([])
  }
  expect(told.join()).toContain('Launching skill: mine')
  // Where a person has trusted the folder, it is what they want.
  const trusted = await real.session('calls', { trust: true, prepare: reviewable })
  await trusted.idle()
  await trusted.send('/security-review')
  await until(async () => (await marks()).includes('fsmonitor'), 'the review to look at the folder')
})

it.concurrent('[T67] a folder that loses its trust while the agent runs: the agent starts again, and git asks', async () => {
  const calls = [bash('git status'), bash('touch made')]
  await using real = await startRealGateway({ scripts: { calls: steps(calls) } })
  const session = await real.session('calls', { trust: true, prepare: hostileRepository })
  const first = await session.ask()
  expect(first.tool?.input.command).toBe('touch made')
  await real.api.ok('DELETE', `/api/sessions/${session.id}/trust`)
  expect(await session.read()).toMatchObject({ epoch: 2, trusted: false })
  await session.idle()
  // The same calls again: what ran without an ask before does not now.
  await session.send('again')
  const second = await session.ask(({ id }) => id !== first.id)
  expect(second.tool?.input.command).toBe('git status')
  await session.answer(second, { kind: 'deny', interrupt: true })
  await session.idle()
})

it('[T67] no program of ours runs git', async () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url))
  const runs: string[] = []
  for (const folder of ['packages', 'apps']) {
    for (const path of await readdir(join(root, folder), { recursive: true })) {
      const isOurs = /^[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.test\.|\/(fixtures|e2e|canary)\/|^testing\//.test(path)
      if (!isOurs) continue
      const text = await readFile(join(root, folder, path), 'utf8')
      if (/\b(spawn|spawnSync|exec|execSync|execFile|execFileSync)\b[^\n]*\(\s*['"`][^'"`]*\bgit\b/.test(text))
        runs.push(path)
      if (/node:child_process/.test(text) && /['"`]git['"`]/.test(text)) runs.push(path)
    }
  }
  expect(runs).toEqual([])
})
