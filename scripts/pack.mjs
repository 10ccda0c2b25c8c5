// `npm run pack`: the npm package, as dist/package/ and as an archive beside it.
import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt, ensureInstalled } from './setup.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

await ensureInstalled()
await ensureBuilt()
const { makePackage } = await import('./make-package.mjs')
const archive = await makePackage(join(root, 'dist'))
console.log(`${relative(root, archive)} (${Math.round(statSync(archive).size / 1024)} KB)`)
