// Makes the npm package from what is built: the command with the web app, and the library for other people's apps.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import { build as bundle } from 'rolldown'
import { build } from 'vite'
import { writeDeclarations } from './package/declarations.mjs'
import { thirdPartyNotices } from './package/notices.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
/** What browsers import; `embed` is for Node. Each is the index of the package of that name. */
const BROWSER_ENTRIES = ['client', 'react']
const indexOf = (name) => join(root, 'packages', name, 'src/index.ts')
/**
 * What is installed with the package, and whose version it is; all else is in the bundles. Hosted terminals need the second
 * one: it comes built for each platform, with no script to run. The Claude Agent SDK is not ours to pack: it is looked for,
 * or downloaded, when the first agent is started.
 */
const RUNTIME = { 'node-sqlite3-wasm': 'packages/store', '@lydell/node-pty': 'packages/agents' }

/** Gives the path of the archive, in `out`; what is in it is in `out`/package. */
export async function makePackage(out) {
  const folder = join(out, 'package')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  copyPrograms(dist, join(folder, 'lib'))
  cpSync(join(dist, 'hook.sh'), join(folder, 'lib/hook.sh'))
  cpSync(join(dist, 'web'), join(folder, 'lib/web'), { recursive: true, filter: (path) => !/^\./.test(basename(path)) })
  writeFileSync(join(folder, 'bin/holdpoint.js'), "#!/usr/bin/env node\nimport '../lib/cli.js'\n", { mode: 0o755 })
  await buildLibrary(join(folder, 'browser'))
  const types = writeDeclarations({ root, folder: join(folder, 'types'), entries: [...BROWSER_ENTRIES, 'embed'] })
  const record = join(folder, 'browser/.vite')
  const records = [join(dist, 'web/.vite/license.md'), join(record, 'license.md')]
  const embed = mkdtempSync(join(tmpdir(), 'holdpoint-embed-'))
  try {
    await buildEmbed(embed)
    copyPrograms(embed, join(folder, 'lib'))
    writeFileSync(join(folder, 'THIRD-PARTY.md'), thirdPartyNotices({ root, programs: [dist, embed], records }))
  } finally {
    rmSync(embed, { recursive: true, force: true })
  }
  rmSync(record, { recursive: true, force: true })
  cpSync(join(root, 'README.md'), join(folder, 'README.md'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(types), null, 2)}\n`)
  return pack(folder, out)
}

function copyPrograms(from, folder) {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(from).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(from, name), 'utf8')
    writeFileSync(join(folder, name), text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
  }
}

/** In the folder of the programs, for it serves the same web app. */
function buildEmbed(folder) {
  return bundle({
    cwd: root,
    input: { embed: indexOf('embed') },
    external: [/^node:/, '@anthropic-ai/claude-agent-sdk', 'node-sqlite3-wasm'],
    platform: 'node',
    logLevel: 'warn',
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'embed-[name]-[hash].js',
      sourcemap: true,
    },
  })
}

async function buildLibrary(folder) {
  process.env.NODE_ENV = 'production'
  await build({
    configFile: false,
    root: join(root, 'packages/react'),
    logLevel: 'warn',
    plugins: [tailwind()],
    resolve: { alias: { 'markdown-to-jsx/entities': join(root, 'packages/react/src/text/entities.ts') } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      license: true,
      cssCodeSplit: true,
      reportCompressedSize: false,
      lib: {
        entry: {
          ...Object.fromEntries(BROWSER_ENTRIES.map((name) => [name, indexOf(name)])),
          styles: join(root, 'packages/react/src/styles.css'),
        },
        formats: ['es'],
      },
      rolldownOptions: {
        external: /^react(-dom)?(\/|$)/,
        // Said once, at the door: what is inside says it too, in the middle of a bundle, where it means nothing.
        onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'parts/[name]-[hash].js',
          banner: ({ isEntry, name }) => (isEntry && name === 'react' ? "'use client'" : ''),
        },
      },
    },
  })
}

function manifest(types) {
  const workspace = manifestIn('.')
  const { name, version } = manifestIn('apps/cli')
  const entry = (from) => ({ types: `./types/${types[from]}`, default: `./browser/${from}.js` })
  return {
    name,
    version,
    description: workspace.description,
    license: workspace.license,
    type: 'module',
    engines: workspace.engines,
    bin: { holdpoint: 'bin/holdpoint.js' },
    exports: {
      './client': entry('client'),
      './react': entry('react'),
      './embed': { types: `./types/${types.embed}`, default: './lib/embed.js' },
      './react/styles.css': './browser/styles.css',
      './package.json': './package.json',
    },
    sideEffects: ['*.css', './lib/*', './bin/*'],
    dependencies: Object.fromEntries(
      Object.entries(RUNTIME).map(([name, owner]) => [name, manifestIn(owner).dependencies[name]]),
    ),
    peerDependencies: { '@anthropic-ai/claude-agent-sdk': '>=0.3', react: '>=19', 'react-dom': '>=19' },
    peerDependenciesMeta: {
      '@anthropic-ai/claude-agent-sdk': { optional: true },
      react: { optional: true },
      'react-dom': { optional: true },
    },
  }
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

function pack(folder, out) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status, stdout, stderr } = spawnSync(npm, ['pack', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`)
  const [{ filename }] = JSON.parse(stdout)
  renameSync(join(folder, filename), join(out, filename))
  return join(out, filename)
}
