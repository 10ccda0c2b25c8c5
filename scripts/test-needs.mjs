// What a test file needs before it can run, found by following its imports: `npm test -- FILE` prepares only that, and
// `npm run test:unit` runs the files that need nothing.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Signs in a module's text. Types are gone at run time, and so are imports of types. */
const SIGNS = {
  programs: /dist\/(cli|host|pty|hook|testing)|'dist'|claude-agent-sdk'/,
  web: /dist\/web/,
  browser: /'playwright-core'/,
  'whole-browser': /WHOLE_CHROME_PATH/,
  postgres: /env\.POSTGRES_PROGRAMS/,
  gateway: /\bcreateGateway\(/,
  processes: /'(node:child_process|rolldown|@lydell\/node-pty)'/,
}
/** It names the built app, and does without it where there is none. */
const WEB_IS_OPTIONAL = /packages\/embed\/src\/fixtures\/embedding\.ts$/
/** Every test of these starts programs. */
const PROGRAMS = /^scripts\//

/** Every test file, relative to the root, with the set of what it needs: `programs`, `web`, `browser`, `whole-browser`, `postgres`,
 * `gateway`, `processes`. */
export function testNeeds() {
  const known = new Map()
  return new Map(testFiles().map((path) => [path, needsOf(path, known)]))
}

function needsOf(path, known) {
  const seen = new Set()
  const needs = new Set(PROGRAMS.test(path) ? ['programs'] : [])
  const visit = (file) => {
    if (seen.has(file)) return
    seen.add(file)
    if (!known.has(file)) known.set(file, read(file))
    const { signs, imports } = known.get(file)
    for (const sign of signs) needs.add(sign)
    for (const each of imports) visit(each)
  }
  visit(join(root, path))
  if (needs.has('browser')) needs.add('web').add('programs')
  return needs
}

function read(file) {
  const text = readFileSync(file, 'utf8').replace(/^import type [^']*'[^']+'$/gm, '')
  const signs = Object.keys(SIGNS).filter(
    (sign) => SIGNS[sign].test(text) && !(sign === 'web' && WEB_IS_OPTIONAL.test(file)),
  )
  const imports = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g)].flatMap(([, name]) =>
    resolved(file, name),
  )
  return { signs, imports }
}

function resolved(file, name) {
  const isOwn = name.startsWith('@holdpoint/')
  if (!isOwn && !name.startsWith('.')) return []
  const path = isOwn ? createRequire(file).resolve(name) : join(dirname(file), name)
  return /\.(tsx?|mjs)$/.test(path) && existsSync(path) ? [path] : []
}

function testFiles() {
  const folders = ['packages', 'apps'].flatMap((top) =>
    readdirSync(join(root, top)).map((name) => join(root, top, name, 'src')),
  )
  return [...folders, join(root, 'scripts')].flatMap(filesIn).map((path) => relative(root, path))
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(path)
    return /\.test\.(tsx?|mjs)$/.test(entry.name) ? [path] : []
  })
}
