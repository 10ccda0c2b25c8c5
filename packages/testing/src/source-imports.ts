import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Every folder with a manifest of its own, such as `packages/core`, `apps/web` and `bench`. */
export const WORKSPACES: readonly string[] = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).workspaces.flatMap((pattern: string) => {
  const folder = pattern.replace(/\/\*$/, '')
  return folder === pattern ? [folder] : readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)
})

/** All packages and apps. */
export const PACKAGES = WORKSPACES.filter((name) => /^(packages|apps)\//.test(name))

/** The source files of a folder: without tests, and without what only tests use. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : sourcesIn(path)
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

/** What a file imports, types included, as it is written there. */
export function importsOf(path: string): string[] {
  if (path.endsWith('.css')) return matches(path, /^@import "([^"]+)"/gm)
  return matches(path, /(?:\bfrom\s+|\bimport\s+|\bimport\()'([^']+)'/g)
}

/** What a file imports at run time: types are gone by then. */
function loadedBy(path: string): string[] {
  return [
    ...matches(path, /^(?:import|export) (?!type )(?:[^']*? from )?'([^']+)'/gm),
    ...matches(path, /\bawait import\('([^']+)'\)/g),
  ]
}

function matches(path: string, pattern: RegExp): string[] {
  return [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, name = '']) => name)
}

/** The package of ours that an import names. */
export function ownPackage(name: string): string | undefined {
  return /^@holdpoint\/([^/]+)/.exec(name)?.[1]
}

/** The file that an import names; undefined where it is a module of others, or only stands in a sample text. */
export function fileOf(name: string, importedBy: string): string | undefined {
  const relative = join(dirname(importedBy), name)
  if (name.startsWith('.')) return existsSync(relative) ? relative : undefined
  // Node's own resolution: it throws where the package does not export this.
  return ownPackage(name) === undefined ? undefined : createRequire(importedBy).resolve(name)
}

/** All files that an entry gets at run time, itself included, and the modules of others. */
export function loadedFrom(entry: string): { files: ReadonlySet<string>; modules: ReadonlySet<string> } {
  const files = new Set<string>()
  const modules = new Set<string>()
  function load(path: string) {
    if (files.has(path)) return
    files.add(path)
    if (!/\.tsx?$/.test(path)) return
    for (const name of loadedBy(path)) {
      const file = fileOf(name, path)
      if (file !== undefined) load(file)
      else if (!name.startsWith('.')) modules.add(name)
    }
  }
  load(entry)
  return { files, modules }
}
