import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findBrowser } from './browser.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hp-browser-'))
  vi.stubEnv('CHROME_PATH', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function program(path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), '')
  return join(folder, path)
}

it('takes the browser that somebody chose, and no other in its place', () => {
  vi.stubEnv('PATH', dirname(program('bin/chromium')))
  const chosen = program('mine')
  vi.stubEnv('CHROME_PATH', chosen)
  expect(findBrowser()).toBe(chosen)
  vi.stubEnv('CHROME_PATH', join(folder, 'nothing'))
  expect(findBrowser()).toBeUndefined()
})

it('takes the first on the PATH before any other', () => {
  const first = program('one/google-chrome')
  vi.stubEnv('PATH', [dirname(first), dirname(program('two/chromium'))].join(':'))
  expect(findBrowser()).toBe(first)
})

it('takes a whole one where the one without a window would not do', () => {
  const shell = program('bin/chromium-headless-shell')
  vi.stubEnv('PATH', dirname(shell))
  const whole = program('bin/chromium')
  expect(findBrowser({ whole: true })).toBe(whole)
  vi.stubEnv('CHROME_PATH', shell)
  expect(findBrowser({ whole: true })).toBe(whole)
  const chosen = program('mine')
  vi.stubEnv('CHROME_PATH', chosen)
  expect(findBrowser({ whole: true })).toBe(chosen)
})

it('takes the one without a window where a folder has both', () => {
  const shell = program('bin/chromium-headless-shell')
  program('bin/chromium')
  vi.stubEnv('PATH', dirname(shell))
  expect(findBrowser()).toBe(shell)
})
