import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const read = (name) => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')
const lock = JSON.parse(read('package-lock.json'))
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Versions that are known to be bad end below these. */
const FLOORS = { ws: '8.21.0', minimatch: '10.2.3', picomatch: '4.0.4', '@modelcontextprotocol/sdk': '1.24.0' }
/** What people get who install the package: what is in no bundle. */
const MOST_RUNTIME_DEPENDENCIES = 2

function isBelow(version, floor) {
  const [own, least] = [version, floor].map((text) => text.split('-')[0].split('.').map(Number))
  const place = own.findIndex((part, index) => part !== least[index])
  return place >= 0 && own[place] < least[place]
}

describe('T56 the lockfile', () => {
  it('has a hash for every package that comes from a registry, and nothing from anywhere else', () => {
    expect(installed.length).toBeGreaterThan(100)
    for (const [path, { integrity, inBundle, resolved }] of installed) {
      // What is in the bundle of another package is under that one's hash.
      if (!inBundle) expect(integrity, path).toMatch(/^sha512-[A-Za-z0-9+/=]{88}$/)
      // Left out, npm takes the registry that it is told: no host is written down, no address can be planted.
      expect(resolved, path).toBeUndefined()
    }
    const links = Object.entries(lock.packages).filter(([, { link }]) => link)
    for (const [path, { resolved }] of links)
      expect(resolved, path).toMatch(/^(packages\/[a-z-]+|apps\/[a-z-]+|bench|examples)$/)
    expect(read('package-lock.json')).not.toMatch(/git\+|\.tgz/)
  })

  it('is installed without running scripts, and from no other source', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
    expect(read('.npmrc')).toMatch(/^allow-git=none$/m)
    expect(read('.npmrc')).toMatch(/^allow-remote=none$/m)
    expect(read('.npmrc')).not.toMatch(/registry|_auth/i)
  })

  it('has exact versions, and none that is known to be bad', () => {
    // Those of the workspace itself come first, under an empty path.
    const manifests = Object.entries(lock.packages).filter(([path]) => !path.includes('node_modules/'))
    expect(manifests.length).toBeGreaterThan(10)
    const versions = new Map()
    for (const [path, { dependencies, devDependencies }] of manifests) {
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        // Ours are in the workspace: with any version, none is ever looked for in a registry.
        if (/^(@holdpoint\/|holdpoint$)/.test(name)) expect(version, `${path} ${name}`).toBe('*')
        else expect(version, `${path} ${name}`).toMatch(/^\d+\.\d+\.\d+$/)
        expect(version, `${path} ${name}: one version in all manifests`).toBe(versions.get(name) ?? version)
        versions.set(name, version)
      }
    }
    for (const [path, { version }] of installed) {
      const floor = FLOORS[nameOf(path)]
      if (floor) expect(isBelow(version, floor), `${path} ${version}`).toBe(false)
    }
    expect(isBelow('8.20.9', '8.21.0')).toBe(true)
  })

  it('keeps to the budget of what the package needs at run time', () => {
    const [, needed] = /^const RUNTIME = \{(.*)\}$/m.exec(read('scripts/make-package.mjs'))
    expect(needed.split(',').length).toBeLessThanOrEqual(MOST_RUNTIME_DEPENDENCIES)
  })
})
