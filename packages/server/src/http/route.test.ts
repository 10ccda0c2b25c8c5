import { expect, it } from 'vitest'
import { createRouter, route } from './route.ts'

const define = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
  route({ method, path, action: 'public', summary: '', replies: {}, handle: () => undefined })

const find = createRouter([
  define('GET', '/api/asks'),
  define('POST', '/api/asks/answer'),
  define('GET', '/api/asks/:id'),
  define('POST', '/api/asks/:id/answer'),
  define('DELETE', '/api/sessions/:id/messages/:messageId'),
])

function found(method: string, path: string) {
  const match = find(method, path)
  return typeof match === 'object' ? [match.route.path, match.params] : match
}

it('finds a route by method and segments', () => {
  expect(found('GET', '/api/asks')).toEqual(['/api/asks', {}])
  expect(found('POST', '/api/asks/answer')).toEqual(['/api/asks/answer', {}])
  expect(found('POST', '/api/asks/ask_1/answer')).toEqual(['/api/asks/:id/answer', { id: 'ask_1' }])
  expect(found('DELETE', '/api/sessions/s/messages/m')).toEqual([
    '/api/sessions/:id/messages/:messageId',
    { id: 's', messageId: 'm' },
  ])
})

it('says when only the method is wrong', () => {
  expect(found('DELETE', '/api/asks')).toBe('no-method')
  expect(found('PUT', '/api/asks/x')).toBe('no-method')
})

it.each([
  '/',
  '/api',
  '/api/asks/',
  '//api/asks',
  '/api//asks',
  '/API/asks',
  '/api/asks/a/b',
  '/api/asks/a%2fb',
  '/api/asks/..',
  '/api/asks/a b',
  `/api/asks/${'x'.repeat(257)}`,
  '/api/asks/ü',
])('finds nothing at %s', (path) => expect(found('GET', path)).toBeUndefined())
