import { expect, it } from 'vitest'
import { createRouter, type Match, route } from './route.ts'

const define = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
  route({ method, path, summary: '', replies: {} }, { action: 'public', handle: () => undefined })

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

it('finds the stream in the place of a reply for those who accept one', () => {
  const reply = define('POST', '/api/messages')
  const eventStream = define('POST', '/api/messages')
  const findEither = createRouter([{ ...reply, eventStream }])
  const isStream = (accept?: string) => (findEither('POST', '/api/messages', accept) as Match).route === eventStream
  for (const accept of ['text/event-stream', 'application/json, Text/Event-Stream;q=0.9'])
    expect(isStream(accept)).toBe(true)
  for (const accept of [
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'text/event-streams',
    'x-text/event-stream',
  ])
    expect(isStream(accept), accept).toBe(false)
  expect((find('GET', '/api/asks', 'text/event-stream') as Match).route.path).toBe('/api/asks')
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
