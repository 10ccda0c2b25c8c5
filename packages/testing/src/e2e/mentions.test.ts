import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { say, use } from '@holdpoint/demo-model/script'
import { expect, it, vi } from 'vitest'
import { startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 60_000 })

it('T65 a skill that is given a file with @ asks: it would be read with the skill, and Read of it asks', async () => {
  let secret = ''
  await using real = await startRealGateway({
    scripts: {
      calls(call) {
        const calls = [
          use('Skill', { skill: 'mine', args: 'nothing' }),
          use('Skill', { skill: 'mine', args: `look at @${secret}` }),
          use('Read', { file_path: secret }),
        ]
        const next = calls[call.calls.length]
        return next ? { content: [next] } : say('done')
      },
    },
  })
  secret = join(real.root, 'secret.txt')
  await writeFile(secret, 'what nobody may read')
  await mkdir(join(real.home, '.claude/skills/mine'), { recursive: true })
  await writeFile(join(real.home, '.claude/skills/mine/SKILL.md'), '---\nname: mine\ndescription: d\n---\nDo it.\n')
  const session = await real.session('calls')
  const first = await session.ask()
  expect(first.tool).toMatchObject({ name: 'Skill', input: { args: `look at @${secret}` } })
  expect(first.decisionReason).toContain('name with @')
  await session.answer(first, { kind: 'deny' })
  const second = await session.ask(({ id }) => id !== first.id)
  expect(second.tool?.name).toBe('Read')
  await session.answer(second, { kind: 'deny' })
  await session.idle()
  expect(session.told()).not.toContain('what nobody may read')
})
