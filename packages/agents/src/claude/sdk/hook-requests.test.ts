import { expect, it } from 'vitest'
import { createHookRequests } from './hook-requests.ts'

const request = (requestId: string, toolUseId?: string) =>
  ({
    type: 'request',
    requestId,
    subtype: 'hook_callback',
    ...(toolUseId !== undefined && { call: { toolUseId, cwd: '/code' } }),
  }) as const
const cancel = (requestId: string) => ({ type: 'cancel', requestId }) as const

it('knows the request of each call once, also of two calls under one id', () => {
  const hooks = createHookRequests()
  hooks.arrived(request('r1', 'same'))
  hooks.arrived(request('r2', 'same'))
  expect([hooks.take('same'), hooks.take('same'), hooks.take('same')]).toEqual(['r1', 'r2', undefined])
})

it('[T65] tells of a hook that was given up before it was handed over again', () => {
  const hooks = createHookRequests(['gone', 'back'])
  expect(hooks.arrived(request('back', 't1'))).toBe(false)
  expect(hooks.arrived(cancel('gone'))).toBe(true)
  expect(hooks.open()).toEqual(['back'])
  // The SDK has heard of this one, and tells its callback.
  expect(hooks.arrived(cancel('back'))).toBe(false)
})
