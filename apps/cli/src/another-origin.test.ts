import { expect, it } from 'vitest'
import { anotherOrigin } from './another-origin.ts'

it.each([
  'https://app.example',
  'http://tauri.localhost',
  'tauri://localhost',
  'http://127.0.0.1:5173',
  'http://[::1]:5173',
])('takes %s as an origin, beside those before', (origin) => {
  expect(anotherOrigin(origin, ['a://b'])).toEqual(['a://b', origin])
})

it.each([
  '*',
  'null',
  '',
  'app.example',
  'https://*.example',
  'https://app.example/',
  'https://app.example/path',
  'https://App.example',
  'https://app.example:443',
  'https://user@app.example',
  'https://app.example https://evil.example',
  'file://',
])('refuses %j, which no browser sends as one origin', (text) => {
  expect(() => anotherOrigin(text, [])).toThrow('one origin')
})
