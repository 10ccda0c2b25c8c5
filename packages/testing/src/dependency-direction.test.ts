import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What each package may import, beside itself. Dependencies point one way; tests may look at everything. */
const MAY_IMPORT: Record<string, { packages: string[]; modules: RegExp }> = {
  schema: { packages: [], modules: /^zod$/ },
  core: { packages: ['schema'], modules: /^(zod|unbash)$/ },
  store: { packages: ['schema', 'core'], modules: /^(node:.*|node-sqlite3-wasm)$/ },
  agents: {
    packages: ['schema', 'core'],
    modules: /^(node:.*|zod|diff|@anthropic-ai\/.*|@lydell\/node-pty|@xterm\/(headless|addon-serialize))$/,
  },
  'demo-model': { packages: [], modules: /^(node:.*|zod|@modelcontextprotocol\/.*)$/ },
  server: {
    packages: ['schema', 'core', 'store', 'agents', 'demo-model'],
    modules: /^(node:.*|zod|ws|prom-client|@anthropic-ai\/claude-agent-sdk)$/,
  },
  client: { packages: ['schema', 'core'], modules: /(?!)/ },
  embed: {
    packages: ['schema', 'core', 'store', 'agents', 'server', 'client'],
    modules: /^(node:.*|@anthropic-ai\/claude-agent-sdk)$/,
  },
  react: {
    packages: ['schema', 'core', 'client'],
    modules: /^(react|react-dom|lucide-react|markdown-to-jsx|shiki|diff|virtua|wouter|uqr)(\/.*)?$/,
  },
  testing: { packages: ['schema', 'core', 'store', 'agents', 'demo-model', 'server', 'client'], modules: /.*/ },
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['fixtures', 'canary'].includes(entry.name) ? [] : sources(path)
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\()'([^'.][^']*)'/g)].map(([, name]) => name ?? '')
}

/** Whether a module gets another at run time, directly or by way of its own: types are gone by then. */
function loads(path: string, wanted: string, seen = new Set<string>()): boolean {
  if (seen.has(path) || !existsSync(path)) return false
  seen.add(path)
  const found = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^']*? from )?'([^']+)'/gm)
  return [...found].some(([, name = '']) => {
    const own = /^@holdpoint\/([^/]+)\/(.+)$/.exec(name)
    const base = own ? join(root, 'packages', own[1] ?? '', 'src', own[2] ?? '') : join(path, '..', name)
    const files = own ? [`${base}.ts`, `${base}.tsx`] : [base]
    return name === wanted || files.some((file) => loads(file, wanted, seen))
  })
}

describe('dependencies point one way', () => {
  it.each(Object.entries(MAY_IMPORT))('from %s', (name, allowed) => {
    const wrong = sources(join(root, 'packages', name, 'src')).flatMap((path) =>
      imports(path)
        .filter((wanted) => {
          const own = /^@holdpoint\/([^/]+)\//.exec(wanted)?.[1]
          return own === undefined ? !allowed.modules.test(wanted) : own !== name && !allowed.packages.includes(own)
        })
        .map((wanted) => `${path.slice(root.length)} imports ${wanted}`),
    )
    expect(wrong).toEqual([])
  })

  it('covers every package', () => {
    expect(Object.keys(MAY_IMPORT).sort()).toEqual(readdirSync(join(root, 'packages')).sort())
  })

  it('keeps the schemas, and what they are made of, out of the browser', () => {
    const entries = ['client', 'react'].flatMap((name) => sources(join(root, 'packages', name, 'src')))
    const wrong = entries.filter((path) => loads(path, 'zod')).map((path) => path.slice(root.length))
    expect(wrong).toEqual([])
  })

  it('lets the core tell no time and roll no dice of its own', () => {
    const told = sources(join(root, 'packages', 'core', 'src')).filter((path) =>
      /Date\.now|Math\.random|setTimeout|setInterval|performance\.now/.test(readFileSync(path, 'utf8')),
    )
    expect(told).toEqual([])
  })
})
