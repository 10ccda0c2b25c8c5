import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { expect, it } from 'vitest'
import { startRealGateway } from './real-gateway.ts'

it("[T35, E8] the user's own rules let calls through unasked, but not where everything has to ask", async () => {
  await using real = await startRealGateway({ scripts: { bash: steps([use('Bash', { command: 'touch made.txt' })]) } })
  await mkdir(join(real.home, '.claude'), { recursive: true })
  await writeFile(join(real.home, '.claude', 'settings.json'), JSON.stringify({ permissions: { allow: ['Bash'] } }))

  const strict = await real.session('bash', { gate: 'everything' })
  const open = await strict.ask()
  expect(open.title).toBe('Bash: touch made.txt')
  await strict.answer(open, { kind: 'deny' })
  await strict.idle()
  expect(await strict.file('made.txt')).toBeUndefined()

  const normal = await real.session('bash')
  await normal.idle()
  expect(await normal.file('made.txt')).toBe('')
})
