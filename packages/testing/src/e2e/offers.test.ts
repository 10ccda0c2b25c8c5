import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '@holdpoint/demo-model/script'
import type { Offers } from '@holdpoint/schema/offers'
import { expect, it, vi } from 'vitest'
import { startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 60_000 })

it('the agent names its commands and models, also to the gateway that takes it over, and reads files that are named to it', async () => {
  await using real = await startRealGateway({ scripts: { hello: () => say('hello') } })
  const session = await real.session('hello', {
    trust: true,
    async prepare(cwd: string) {
      await mkdir(join(cwd, '.claude/commands'), { recursive: true })
      const head = '---\ndescription: Ships it\nargument-hint: "[where]"\n---\n'
      await writeFile(join(cwd, 'plain.ts'), 'the plain one')
      await writeFile(join(cwd, 'my notes.txt'), 'the quoted one')
      await writeFile(join(cwd, 'a:b.'), 'the odd one')
      await writeFile(join(cwd, '.claude/commands/ship.md'), `${head}Ship it to $ARGUMENTS.\n`)
    },
  })
  await session.idle()
  const offers = () => real.api.ok<Offers>('GET', `/api/sessions/${session.id}/offers`)
  const before = await offers()
  expect(before.commands).toContainEqual({
    name: 'ship',
    description: expect.stringContaining('Ships it'),
    argumentHint: '[where]',
  })
  expect(before.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['compact', 'context']))
  expect(before.models.map(({ value }) => value)).toEqual(expect.arrayContaining(['default', 'haiku']))
  // Known for the next session, too.
  const known = () => real.api.ok('GET', '/api/models?agent=claude')
  await expect.poll(known).toEqual({ models: before.models })
  await real.gateway.kill9()
  await real.restart()
  expect(await known()).toEqual({ models: before.models })
  await expect.poll(offers, { timeout: 20_000 }).toEqual(before)

  // As the message box writes them.
  await session.send('Look at @plain.ts and @"my notes.txt" and @"a:b."')
  await expect.poll(() => session.told(), { timeout: 20_000 }).toContain('Look at')
  for (const text of ['the plain one', 'the quoted one', 'the odd one']) expect(session.told()).toContain(text)
})
