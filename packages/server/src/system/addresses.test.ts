import { expect, it } from 'vitest'
import { addressesOf, mayLogInAt } from './addresses.ts'

const at = (host: string, address: string, more: { hasTls?: boolean; publicUrl?: string; port?: number } = {}) => {
  const { localUrl, pageOrigins } = addressesOf({ host, address, port: 4680, hasTls: false, ...more })
  return [localUrl, ...pageOrigins.values()]
}

it('T64 logs pages in at the address that it has bound, by no name that leads elsewhere', () => {
  expect(at('127.0.0.1', '127.0.0.1')).toEqual(['http://127.0.0.1:4680', 'http://127.0.0.1:4680'])
  expect(at('::1', '::1')).toEqual(['http://[::1]:4680', 'http://[::1]:4680'])
  expect(at('localhost', '127.0.0.1')).toEqual(['http://127.0.0.1:4680', 'http://127.0.0.1:4680'])
  expect(at('localhost', '::1')).toEqual(['http://[::1]:4680', 'http://[::1]:4680'])
  expect(at('127.0.0.1', '127.0.0.1', { port: 80 })[1]).toBe('http://127.0.0.1')
})

it('T64 logs pages in at its public address, and over TLS by every name', () => {
  const publicUrl = 'https://name.example'
  expect(at('127.0.0.1', '127.0.0.1', { publicUrl })).toEqual([
    'http://127.0.0.1:4680',
    'http://127.0.0.1:4680',
    publicUrl,
  ])
  // Plain HTTP on a network is the proxy's alone.
  expect(at('192.168.1.20', '192.168.1.20', { publicUrl })).toEqual(['http://192.168.1.20:4680', publicUrl])
  expect(at('0.0.0.0', '0.0.0.0', { publicUrl })).toEqual(['http://127.0.0.1:4680', 'http://127.0.0.1:4680', publicUrl])
  expect(at('::', '::', { publicUrl }).slice(1)).toEqual(['http://127.0.0.1:4680', 'http://[::1]:4680', publicUrl])
  expect(at('192.168.1.20', '192.168.1.20', { hasTls: true })).toEqual([
    'https://192.168.1.20:4680',
    'https://192.168.1.20:4680',
    'https://127.0.0.1:4680',
    'https://localhost:4680',
    'https://[::1]:4680',
  ])
})

it('answers to its own names alone, whichever of them a page may log in at', () => {
  const address = { host: 'BOX.lan', address: '192.168.1.20', port: 4680, hasTls: false }
  const { hosts, origins } = addressesOf({ ...address, publicUrl: 'https://name.example' })
  const own = ['127.0.0.1:4680', 'localhost:4680', '[::1]:4680', 'box.lan:4680', '192.168.1.20:4680']
  expect(hosts).toEqual([...own, 'name.example'])
  expect(origins).toEqual([...own.map((host) => `http://${host}`), 'https://name.example'])
  const wildcard = addressesOf({ host: '0.0.0.0', address: '0.0.0.0', port: 443, hasTls: true })
  expect(wildcard.hosts).toEqual(['127.0.0.1', 'localhost', '[::1]'])
})

it.each([
  ['https://localhost', true],
  ['http://127.0.0.1:1', true],
  ['http://[::1]', true],
  ['http://localhost:4680', false],
  ['http://a.localhost', false],
  ['http://box.lan', false],
  ['http://192.168.1.20', false],
])('T64 knows whether a page may log in at %s: %s', (url, expected) => expect(mayLogInAt(url)).toBe(expected))
