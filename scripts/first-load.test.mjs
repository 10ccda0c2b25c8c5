import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { firstLoad } from './first-load.mjs'

const WEB = fileURLToPath(new URL('../dist/web', import.meta.url))
const LIMIT = 200 * 1024

it('loads the inbox with at most 200 KB of scripts and styles, gzipped', () => {
  const files = firstLoad(WEB)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const lines = files.map(({ file, bytes }) => `  ${(bytes / 1024).toFixed(1).padStart(6)} KB  ${file}`)
  console.log(`first load: ${(total / 1024).toFixed(1)} KB of ${LIMIT / 1024}\n${lines.join('\n')}`)
  expect(files.map(({ file }) => file).some((file) => file.endsWith('.js'))).toBe(true)
  expect(files.map(({ file }) => file).some((file) => file.endsWith('.css'))).toBe(true)
  expect(total).toBeLessThanOrEqual(LIMIT)
})

it('counts what is imported outright, each file once, and not what is loaded when it is needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hp-first-load-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.vite'))
  const manifest = {
    'index.html': {
      file: 'a.js',
      css: ['a.css'],
      isEntry: true,
      imports: ['_b.js', '_c.js'],
      dynamicImports: ['d.ts'],
    },
    '_b.js': { file: 'b.js', imports: ['_c.js'] },
    '_c.js': { file: 'c.js', css: ['c.css'], imports: ['_b.js'] },
    'd.ts': { file: 'd.js', isDynamicEntry: true },
  }
  writeFileSync(join(folder, '.vite/manifest.json'), JSON.stringify(manifest))
  for (const name of ['a.js', 'a.css', 'b.js', 'c.js', 'c.css', 'd.js']) writeFileSync(join(folder, name), name)
  expect(
    firstLoad(folder)
      .map(({ file }) => file)
      .sort(),
  ).toEqual(['a.css', 'a.js', 'b.js', 'c.css', 'c.js'])
})
