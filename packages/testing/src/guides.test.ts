import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rulesOfFile } from '@holdpoint/core/policy/file-rules'
import { parseRulePattern } from '@holdpoint/core/policy/rule-pattern'
import { PolicyFileContent } from '@holdpoint/schema/policy-file'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from './built-gateway.ts'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

const sources = ['packages', 'apps', 'scripts', 'bench', 'examples'].flatMap((folder) => filesBelow(folder))

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesBelow(path)
    return [path]
  })
}

/** Blocks that name the file they show: ```ts examples/a/b.ts */
function shownFiles(text: string) {
  return [...text.matchAll(/^```\w+ (\S+\/\S+)\n(.*?)^```$/gms)].map(([, path = '', code = '']) => ({ path, code }))
}

/** Calls of the gateway, as `GET /api/asks`; what a place holds is left out of them. */
function namedCalls(text: string): string[] {
  const named = [...text.matchAll(/`(GET|POST|PUT|DELETE) (\/[^\s`{?]+)/g)]
  return named.map(([, method = '', path = '']) => `${method} ${plainPath(path)}`)
}
const plainPath = (path: string) => path.replace(/:\w+|[A-Z_]{2,}/g, ':')

/** Commands with their flags, as they are written in code: `holdpoint run --session`. */
function namedFlags(text: string): { command: string; flag: string }[] {
  const lines = text
    .replace(/npm start -- /g, 'holdpoint start ')
    .matchAll(/holdpoint (rules [a-z]+|[a-z]+)((?: [^`\n#|]*)?)/g)
  return [...lines].flatMap(([, command = '', rest = '']) => {
    // What follows the program's name is the program's own.
    const own =
      command === 'run' ? (/^(?: --[\w-]+(?: "[^"]*")?)*/.exec(rest)?.[0] ?? '') : rest.replace(/'[^']*'/g, '')
    return [...own.matchAll(/ (--[a-z][\w-]*)/g)].map(([, flag = '']) => ({ command, flag }))
  })
}

describe('the guides', () => {
  it.each([
    ['embedding.md', ['examples/embed/three-lines.mjs']],
    ['ask-from-scripts.md', ['examples/ask/deploy.sh', 'examples/ask/github-actions.yml']],
    ['channels.md', ['examples/webhooks/verify.mjs']],
    [
      'interactive-tools.md',
      readdirSync(join(root, 'examples/interactive-tools')).map((name) => `examples/interactive-tools/${name}`),
    ],
  ])('%s shows the files that the tests run, as they are', (name, files) => {
    const shown = shownFiles(read(`docs/guides/${name}`))
    expect(shown.map(({ path }) => path).sort()).toEqual([...files].sort())
    for (const { path, code } of shown) expect(code, path).toBe(read(path))
  })

  it('rules.md shows policy files that can be read', () => {
    const files = [...read('docs/guides/rules.md').matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text)
    expect(files.length).toBeGreaterThan(0)
    const context = {
      home: '/home/u',
      at: 0,
      idOf: () => `rul_${'0'.repeat(26)}` as const,
      realFolder: (at: string) => at,
    }
    for (const text of files)
      expect(rulesOfFile(PolicyFileContent.parse(JSON.parse(text)).rules, context)).not.toHaveProperty('error')
  })

  it('rules.md shows patterns that can be read', () => {
    const [, table = ''] = /\| pattern \|.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(read('docs/guides/rules.md')) ?? []
    const patterns = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
    expect(patterns.length).toBeGreaterThan(8)
    for (const [, pattern = ''] of patterns)
      expect(parseRulePattern(pattern, 'deny'), pattern).toHaveProperty('pattern')
  })
})

describe('what the pages name', () => {
  let test: TestGateway
  const helps = new Map<string, string>()
  beforeAll(async () => {
    test = await startTestGateway()
  })
  afterAll(() => test[Symbol.asyncDispose]())

  async function helpOf(command: string): Promise<string> {
    const known = helps.get(command) ?? (await runCommand([...command.split(' '), '--help'])).stdout
    helps.set(command, known)
    return known
  }

  // Each of these names calls or commands: where nothing is found, it is the search that fails.
  it.each([
    'README.md',
    'docs/operations.md',
    ...['terminals', 'embedding', 'rules', 'several-machines'].map((name) => `docs/guides/${name}.md`),
  ])('%s: calls and flags that there are', async (page) => {
    const text = read(page)
    const routes = test.gateway.routes.map(({ method, path }) => `${method} ${plainPath(path)}`)
    const [calls, flags] = [namedCalls(text), namedFlags(text)]
    expect(calls.length + flags.length).toBeGreaterThan(0)
    expect(calls.filter((call) => !routes.includes(call))).toEqual([])
    for (const { command, flag } of flags) expect(await helpOf(command), `holdpoint ${command} ${flag}`).toContain(flag)
  })

  it.each(pagesIn('docs/protocols').filter((page) => !page.endsWith('README.md')))(
    '%s: calls that there are',
    (page) => {
      const routes = test.gateway.routes.map(({ method, path }) => `${method} ${plainPath(path)}`)
      expect(namedCalls(read(page)).filter((call) => !routes.includes(call))).toEqual([])
    },
  )

  const pages = ['.', 'docs', 'docs/decisions', 'docs/guides', 'docs/protocols'].flatMap(pagesIn)

  // A capital name in a path is one that the reader chooses: docs/protocols/NAME.md.
  it.each(pages)('%s: only files and folders that are there', (page) => {
    const named = [...read(page).matchAll(/`((?:packages|examples|apps|docs|scripts|bench)\/[\w./-]+)`/g)]
    const paths = named.map(([, path = '']) => path).filter((path) => !/\b[A-Z]{2,}\b/.test(path))
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  // A file may be named by the end of its path, `asks/tool-approval.ts`. What is built stands in dist.
  it.each(pages)('%s: only source files that are there', (page) => {
    const named = [...read(page).matchAll(/`((?!dist\/)[\w./-]+\.(?:tsx?|mjs))`/g)].map(([, path = '']) => path)
    const paths = named.filter((path) => !/\b[A-Z]{2,}\b/.test(path))
    expect(paths.filter((path) => !sources.some((source) => `/${source}`.endsWith(`/${path}`)))).toEqual([])
  })

  it.each(pages)('%s: no table whose lines were joined', (page) => {
    expect(
      read(page)
        .split('\n')
        .filter((line) => /\|.*[^|\s:-].*\|[ :]*-{3,}/.test(line)),
    ).toEqual([])
  })

  it.each(pages)('%s: only links that lead somewhere', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path = '']) => path)
    expect(links.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([])
  })
})
