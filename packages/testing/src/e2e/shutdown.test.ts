import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { until } from '../until.ts'
import { startRealGateway } from './real-gateway.ts'

it('[F52] leaves agents and open asks to the next start when told to stop, under load', async () => {
  await using real = await startRealGateway({
    scripts: { bash: steps([use('Bash', { command: 'echo ran >> made.txt' })]) },
  })
  const session = await real.session('bash')
  const open = await session.ask()

  let calls = 0
  let stopped = false
  const load = Array.from({ length: 20 }, async () => {
    while (!stopped) {
      await real.api.call('GET', '/api/asks').then(
        () => calls++,
        () => {},
      )
    }
  })
  await until(() => calls > 200, 'some load')
  const from = performance.now()
  expect(await real.gateway.stop()).toBe(0)
  expect(performance.now() - from).toBeLessThan(5_000)
  stopped = true
  await Promise.all(load)

  await real.restart()
  expect((await session.asks()).map((still) => still.id)).toEqual([open.id])
  await session.answer(open, { kind: 'allow' })
  await session.idle()
  expect(await session.file('made.txt')).toBe('ran\n')
  expect(await session.read()).toMatchObject({ epoch: 1 } satisfies Partial<Session>)
})
