// The types of what is packed: ours as the compiler says them, and zod's, which they are made of. A package that brings
// them along needs zod neither at run time nor to be understood by an editor.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** What whoever uses the package has to have. */
const EXPECTED = /^(react|@anthropic-ai\/claude-agent-sdk)(\/|$)/

/** Writes every declaration that the entries reach into `folder`; gives their new paths, by entry. */
export function writeDeclarations({ root, folder, entries }) {
  const emitted = mkdtempSync(join(tmpdir(), 'holdpoint-types-'))
  try {
    const tsc = join(root, 'node_modules/.bin/tsc')
    const args = ['-p', join(root, 'scripts/package/tsconfig.json'), '--outDir', emitted]
    const { status, stdout } = spawnSync(tsc, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The declarations could not be made:\n${stdout}`)
    const zod = join(root, 'node_modules/zod')
    const exportedFile = createRequire(join(root, 'package.json'))
    const placeOf = (path) =>
      path.startsWith(zod)
        ? join('zod', relative(zod, path))
        : relative(emitted, path)
            .replace(/^packages\//, '')
            .replace('/src/', '/')
    const visited = new Set()
    const visit = (path) => {
      if (visited.has(path)) return
      visited.add(path)
      const place = join(folder, placeOf(path))
      const text = readFileSync(path, 'utf8').replace(
        /(\bfrom\s*|\bimport\(|^import\s+)(['"])([^'"]+)\2/gm,
        (all, before, quote, specifier, offset, whole) => {
          const line = whole.slice(whole.lastIndexOf('\n', offset) + 1, offset)
          if (specifier.endsWith('.css') || /^\s*(\/?\*|\/\/)/.test(line)) return all
          const target = resolve(specifier, path)
          if (target === undefined) return all
          visit(target)
          const to = relative(dirname(place), join(folder, placeOf(target))).replace(/\.d\.ts$/, '.js')
          return `${before}${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`
        },
      )
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, text)
    }
    const resolve = (specifier, from) => {
      if (specifier.startsWith('@holdpoint/'))
        return declarationOf(join(emitted, relative(root, exportedFile.resolve(specifier))))
      if (specifier === 'zod') return join(zod, 'index.d.ts')
      if (specifier.startsWith('.')) return declarationOf(join(dirname(from), specifier))
      if (EXPECTED.test(specifier)) return undefined
      throw new Error(`${relative(emitted, from)} needs the types of ${specifier}, which nobody brings.`)
    }
    return Object.fromEntries(
      entries.map((entry) => {
        const path = join(emitted, 'packages', entry, 'src/index.d.ts')
        visit(path)
        return [entry, placeOf(path)]
      }),
    )
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}

function declarationOf(path) {
  const bare = path.replace(/\.(js|tsx?)$/, '')
  const found = [`${bare}.d.ts`, join(bare, 'index.d.ts')].find((candidate) => existsSync(candidate))
  if (!found) throw new Error(`There are no types at ${path}.`)
  return found
}
