import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf, loadedFrom, ownPackage, PACKAGES, ROOT, sourcesIn, WORKSPACES } from './source-imports.ts'

/**
 * Which packages each package and app may import, and whether it may use Node: what runs in a browser may not. Dependencies
 * point one way; tests may look at everything. What others wrote is named in each manifest.
 */
const MAY_IMPORT: Record<string, { packages: string[]; node: boolean }> = {
  'packages/schema': { packages: [], node: false },
  'packages/core': { packages: ['schema'], node: false },
  'packages/store': { packages: ['schema', 'core'], node: true },
  'packages/agents': { packages: ['schema', 'core'], node: true },
  'packages/demo-model': { packages: [], node: true },
  'packages/server': { packages: ['schema', 'core', 'store', 'agents', 'demo-model'], node: true },
  'packages/client': { packages: ['schema', 'core'], node: false },
  'packages/embed': { packages: ['schema', 'core', 'store', 'agents', 'server', 'client'], node: true },
  'packages/react': { packages: ['schema', 'core', 'client'], node: false },
  'packages/testing': {
    packages: ['schema', 'core', 'store', 'agents', 'demo-model', 'server', 'client'],
    node: true,
  },
  'apps/web': { packages: ['schema', 'core', 'client', 'react'], node: false },
  'apps/cli': { packages: ['schema', 'core', 'store', 'agents', 'server', 'client'], node: true },
}

/** An import by name. Tests also have code in their texts, of which not all that looks like an import is one. */
const MODULE = /^(@[\w-]+\/)?\w[\w./-]*$/

/** Helpers of tests, the gallery that they look at, and the checks of an agent's version: they use what tests use. */
const TEST_FOLDER = /\/(canary|e2e|gallery|testing)\//

function sources(name: string): string[] {
  const folder = join(ROOT, name, 'src')
  return sourcesIn(folder).filter((path) => !TEST_FOLDER.test(path.slice(folder.length)))
}

describe('dependencies point one way', () => {
  it.each(Object.entries(MAY_IMPORT))('from %s', (name, { packages, node }) => {
    const { dependencies = {} } = manifestIn(name)
    const allowed = packages.map((own) => `@holdpoint/${own}`)
    expect(Object.keys(dependencies).filter((own) => isOwn(own) && !allowed.includes(own))).toEqual([])
    const wrong = allImports(sources(name)).filter(({ wanted }) => {
      if (wanted.startsWith('.')) return false
      return wanted.startsWith('node:') ? !node : !(moduleOf(wanted) in dependencies)
    })
    expect(wrong.map(said)).toEqual([])
  })

  it('covers every package and app', () => {
    expect(Object.keys(MAY_IMPORT).sort()).toEqual([...PACKAGES].sort())
  })

  it('keeps the schemas, and what they are made of, out of the browser', () => {
    const entries = [...sources('packages/client'), ...sources('packages/react'), ...sources('apps/web')]
    const wrong = entries.filter((path) => loadedFrom(path).modules.has('zod')).map(short)
    expect(wrong).toEqual([])
  })

  it('lets the program of the host load nothing but Node and files of its own package', () => {
    const { files, modules } = loadedFrom(join(ROOT, 'packages/agents/src/host/program/main.ts'))
    const agents = join(ROOT, 'packages/agents/src/')
    const foreign = [...files].filter((path) => !path.startsWith(agents)).map(short)
    const installed = [...modules].filter((name) => !name.startsWith('node:'))
    expect({ foreign, installed }).toEqual({ foreign: [], installed: [] })
    expect(files.size).toBeGreaterThan(1)
  })

  it('lets the core tell no time and roll no dice of its own', () => {
    const told = sources('packages/core').filter((path) =>
      /Date\.now|Math\.random|setTimeout|setInterval|performance\.now/.test(readFileSync(path, 'utf8')),
    )
    expect(told).toEqual([])
  })
})

describe('packages are packages', () => {
  const tools = manifestIn('.').devDependencies ?? {}
  const importsBy = new Map([...WORKSPACES, 'scripts'].map((name) => [name, allImports(codeIn(join(ROOT, name)))]))

  it.each(WORKSPACES)('%s names in its manifest what its files import', (name) => {
    const { name: own, dependencies, devDependencies } = manifestIn(name)
    // Tests also use the tools of the workspace: those of the root.
    const known = { ...dependencies, ...devDependencies, ...tools, [own]: '' }
    const wrong = importsBy
      .get(name)
      ?.filter(({ wanted }) => MODULE.test(wanted) && !isBuiltin(wanted) && !(moduleOf(wanted) in known))
    expect(wrong?.map(said)).toEqual([])
  })

  it.each(WORKSPACES)('%s reaches no file of another one past its exports', (name) => {
    const reachable = [join(ROOT, name, '/'), join(ROOT, 'dist/')]
    const wrong = importsBy.get(name)?.filter(({ path, wanted }) => {
      const file = join(dirname(path), wanted)
      return wanted.startsWith('.') && !reachable.some((folder) => file.startsWith(folder))
    })
    expect(wrong?.map(said)).toEqual([])
  })

  it.each(WORKSPACES)('%s exports by name, and nothing that no other one imports', (name) => {
    const { name: own, exports = {} } = manifestIn(name)
    const others = [...importsBy].filter(([other]) => other !== name)
    const imported = new Set(others.flatMap(([, imports]) => imports.map(({ wanted }) => wanted)))
    const unused = Object.entries(exports).filter(([subpath, file]) => {
      expect(existsSync(join(ROOT, name, file)), file).toBe(true)
      return subpath !== '.' && !imported.has(join(own, subpath))
    })
    expect(unused.map(([subpath]) => subpath)).toEqual([])
  })
})

interface Manifest {
  readonly name: string
  readonly exports?: Record<string, string>
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

function short(path: string): string {
  return path.slice(ROOT.length)
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}

/** All code of a folder, tests and configuration too. */
function codeIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : codeIn(path)
    return /\.(tsx?|mjs|css)$/.test(entry.name) ? [path] : []
  })
}

interface Import {
  readonly path: string
  readonly wanted: string
}

function allImports(paths: readonly string[]): Import[] {
  return paths.flatMap((path) => importsOf(path).map((wanted) => ({ path, wanted })))
}

/** `@scope/name` of `@scope/name/some/file`. */
function moduleOf(wanted: string): string {
  return wanted
    .split('/')
    .slice(0, wanted.startsWith('@') ? 2 : 1)
    .join('/')
}

function isOwn(module: string): boolean {
  return ownPackage(module) !== undefined
}

function said({ path, wanted }: Import): string {
  return `${short(path)} imports ${wanted}`
}
