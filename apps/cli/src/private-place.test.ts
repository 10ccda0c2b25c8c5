import { expect, it } from 'vitest'
import { privatePlace, privatePlaces } from './private-place.ts'

it.each([
  ['ntfy.home:8080', 'ntfy.home:8080'],
  ['NTFY.home:443', 'ntfy.home:443'],
  ['127.0.0.1:80', '127.0.0.1:80'],
  ['127.1:9000', '127.0.0.1:9000'],
  ['[::1]:9000', '[::1]:9000'],
  ['[0:0::1]:09000', '[::1]:9000'],
])('takes %s, beside those before', (place, spelled) => {
  expect(privatePlace(place, ['a:1'])).toEqual(['a:1', spelled])
})

it.each([
  ...['', '*', '*:80', 'ntfy.home', ':80', 'ntfy.home:', 'ntfy.home:0', 'ntfy.home:65536', 'http://ntfy.home:80'],
  ...['ntfy.home:80/path', 'user@ntfy.home:80', 'a:80 b:80', 'a:1:2', '::1:80', 'a,b:80'],
])('refuses %j, which is not a host with a port', (text) => {
  expect(() => privatePlace(text)).toThrow('a host and a port')
})

it('takes several from the environment', () => {
  expect(privatePlaces('a:1, b:2')).toEqual(['a:1', 'b:2'])
  expect(() => privatePlaces('a:1,')).toThrow('a host and a port')
})
