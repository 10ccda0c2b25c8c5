import { startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { startPushService } from '@holdpoint/testing/push-service'
import { expect, it } from 'vitest'
import { EXIT } from './console/cli-error.ts'

const SETTINGS = { kinds: ['ask'], content: 'names' }

it('lists who gets notifications, and shows each step of a test', async () => {
  await using service = await startPushService()
  await using gateway = await startBuiltGateway({ args: ['--notify-allow', service.place] })
  const none = await gateway.command(['notify', 'test'])
  expect(none).toMatchObject({ code: EXIT.failure, stdout: '' })
  expect(none.stderr).toContain('Nobody gets notifications.')

  await gateway.api.ok('POST', '/api/notifications/device', { subscription: service.subscribe(), settings: SETTINGS })
  const listed = await gateway.command(['notify', 'list'])
  expect(listed.stdout).toContain(`(push by ${service.place})\n  nothing sent since the gateway started\n`)

  // One that is switched off is listed, and left out of a test of all.
  const off = {
    name: 'Ops',
    enabled: false,
    settings: SETTINGS,
    target: { type: 'ntfy', server: 'https://ntfy.example', topic: 'x' },
  }
  await gateway.api.ok('POST', '/api/notifications/channels', off)
  expect((await gateway.command(['notify', 'list'])).stdout).toContain('Ops (ntfy, switched off)')
  expect((await gateway.command(['notify', 'test', 'Ops'])).stderr).toContain('"Ops" is switched off.')

  const testing = gateway.command(['notify', 'test'])
  const { receipt, to } = await service.message(({ tag }) => tag === 'test')
  await gateway.api.ok('POST', '/api/notifications/receipts', { token: receipt, to })
  const tested = await testing
  expect(tested.code).toBe(0)
  expect(tested.stdout).toMatch(/ {2}ok {6}sent: .+\n {2}ok {6}shown: .+\n$/)

  service.answer(403)
  const failed = await gateway.command(['notify', 'test'])
  expect(failed.code).toBe(EXIT.failure)
  expect(failed.stdout).toContain('failed  sent: the push service replied with status 403')
  expect((await gateway.command(['notify', 'list'])).stdout).toMatch(
    /sent .+ ago, shown .+ ago, failed .+ ago: the push/,
  )

  service.answer(201)
  const again = gateway.command(['notify', 'test'])
  const last = await service.message(({ tag, receipt: other }) => tag === 'test' && other !== receipt)
  await gateway.api.ok('POST', '/api/notifications/receipts', { token: last.receipt, to: last.to })
  expect((await again).code).toBe(0)
  expect((await gateway.command(['notify', 'list'])).stdout).not.toContain('failed')

  const unknown = await gateway.command(['notify', 'test', 'Pixel'])
  expect(unknown.stderr).toContain('No device or channel is called "Pixel". There are: "')
})
