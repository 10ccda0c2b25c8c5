// Whose work is in the bundles, and under which terms: the maps and the records of the bundlers say.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `programs` are folders of bundles with maps; `records` are licence files that Vite has written. */
export function thirdPartyNotices({ root, programs, records }) {
  const names = new Set()
  for (const folder of programs) {
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.js.map'))) {
      const { sources } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      for (const source of sources) {
        const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]
        if (found) names.add(found)
      }
    }
  }
  const notices = [...names].sort().map((name) => {
    const folder = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
    return `## ${name} ${version} (${license})\n\n${text}`
  })
  const written = records.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8').trim())
  return [
    '# Work of others in this package',
    '# In the programs',
    ...notices,
    '# In the web app and the library',
    ...written,
  ]
    .join('\n\n')
    .concat('\n')
}
