// What a browser has to load before it shows the inbox, from the build's own record of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Scripts and styles of the page itself and of all that they import outright, each with its size in bytes, gzipped. */
export function firstLoad(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'))
  const entry = Object.keys(manifest).find((name) => manifest[name].isEntry)
  if (entry === undefined) throw new Error('The build has no page.')
  const files = new Set()
  const visited = new Set()
  const visit = (name) => {
    if (visited.has(name)) return
    visited.add(name)
    const { file, css = [], imports = [] } = manifest[name]
    for (const path of [file, ...css]) files.add(path)
    for (const path of imports) visit(path)
  }
  visit(entry)
  return [...files].map((file) => ({ file, bytes: gzipSync(readFileSync(join(folder, file)), { level: 9 }).length }))
}
