import { expect, it } from 'vitest'
import { admit } from '../attachments/attachment-rules.ts'
import { countdown, isLoopback } from '../devices/pairing-words.ts'
import { pathOf } from '../devices/qr-code.tsx'
import { pageTitle } from '../parts/page-title.ts'
import { parsePreferences } from '../parts/preferences.ts'
import { deviceName } from './device-name.ts'

it('counts what waits in the title of the tab', () => {
  expect(pageTitle(undefined, 3)).toBe('(3) Holdpoint')
  expect(pageTitle('Devices', 0)).toBe('Devices · Holdpoint')
  expect(pageTitle('a\u202eb', 0)).not.toContain('\u202e')
})

it('knows an address that no other device can reach', () => {
  expect(['http://127.0.0.1:4680/', 'http://localhost/', 'http://[::1]:1/'].map(isLoopback)).toEqual([true, true, true])
  expect(['https://gate.example/', 'http://192.168.1.4/', 'http://127.example/'].map(isLoopback)).toEqual([
    false,
    false,
    false,
  ])
  expect(countdown(245_000)).toBe('4:05')
})

it('names a browser as people do', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
  const safari =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile Safari/604.1'
  expect([chrome, safari, ''].map(deviceName)).toEqual(['Chrome on Linux', 'Safari on iPhone', 'Browser'])
})

it('takes kept preferences only as far as they make sense', () => {
  expect(parsePreferences('{"theme":"dark","sound":"yes","volume":7,"inbox":"grid","hideEnded":1}')).toEqual({
    theme: 'dark',
    notifications: false,
    sound: false,
    volume: 1,
    inbox: 'cards',
    hideEnded: false,
  })
  expect(parsePreferences('{"inbox":"lines"}')).toMatchObject({ inbox: 'lines' })
  expect(parsePreferences('[')).toMatchObject({ theme: 'system' })
  expect(parsePreferences('null')).toMatchObject({ theme: 'system' })
})

it('takes pictures, PDF and text, and says why not others', () => {
  const file = (type: string, size = 10) => admit({ name: 'a', type, size })
  expect([file('image/png'), file('text/x-python'), file('application/json')]).toEqual([
    { ok: true, type: 'image/png' },
    { ok: true, type: 'text/plain' },
    { ok: true, type: 'text/plain' },
  ])
  expect([file('image/svg+xml'), file('image/png', 0), file('image/png', 9e6)].map(({ ok }) => ok)).toEqual([
    false,
    false,
    false,
  ])
})

it('draws each run of dark modules once', () => {
  expect(pathOf([[true, true, false, true]])).toBe('M0 0h2v1h-2zM3 0h1v1h-1z')
})
