// `npm run transcripts [NAME…]`: the exchanges of docs/protocols, taken anew from the built gateway with the real Claude
// Code on the demo model. Installs and builds what is missing; leaves nothing behind but the pages.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt, ensureInstalled } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cli = join(root, 'dist/cli.js')

await ensureInstalled()
await ensureBuilt()
const { EXCHANGES, takeExchange } = await import('./transcripts/take.mjs')

const data = newDataFolder()
const token = randomBytes(32).toString('hex')
const environment = { ...process.env, HOME: data, HOLDPOINT_DATA: data, HOLDPOINT_TOKEN: token }
try {
  const url = await startGateway()
  const wanted = process.argv.slice(2)
  for (const name of EXCHANGES) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const lines = await takeExchange(name, { url, token })
    fill(join(root, 'docs/protocols', `${name}.md`), lines)
    console.log(`docs/protocols/${name}.md: ${lines.length} lines`)
  }
} finally {
  await run(['stop', '--all'])
  rmSync(data, { recursive: true, force: true })
}

/** Paths are in the exchanges: no more of this machine than need be. */
function newDataFolder() {
  for (let count = 1; ; count++) {
    const folder = join(tmpdir(), count === 1 ? 'holdpoint' : `holdpoint-${count}`)
    try {
      mkdirSync(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
  }
}

function startGateway() {
  const child = spawn(process.execPath, [cli, 'start', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const url = /ready: (\S+)\/login\//.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.on('exit', (code) => reject(new Error(`the gateway ended with ${code}`)))
  })
}

function run(args) {
  const child = spawn(process.execPath, [cli, ...args], { env: environment, stdio: 'inherit' })
  return new Promise((resolve) => child.on('exit', resolve))
}

function fill(page, lines) {
  const text = readFileSync(page, 'utf8')
  const [start, end] = ['<!-- transcript -->', '<!-- /transcript -->'].map((mark) => text.indexOf(mark))
  if (start < 0 || end < start) throw new Error(`${page} has no place for a transcript`)
  writeFileSync(
    page,
    `${text.slice(0, start)}<!-- transcript -->\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n${text.slice(end)}`,
  )
}
