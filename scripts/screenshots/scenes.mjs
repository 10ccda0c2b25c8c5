// A gateway with sessions that wait, each with something else: the real agent, on a model that plays these scripts.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'rolldown'
import { projects, sessions } from './projects.mjs'

const DEADLINE_MS = 60_000

/** Whatever it starts is given to `onClose` at once, so that it is ended even if the rest fails. */
export async function startScenes({ root, code, temporary, onClose }) {
  writeProjects(code)
  const model = await startModel({ root, code, temporary })
  onClose(() => model.close())
  const token = randomBytes(32).toString('hex')
  const url = await startGateway({ root, temporary, token, model, onClose })
  const api = apiOf(url, { authorization: `Bearer ${token}` })
  const phone = apiOf(url, { 'x-holdpoint-secret': await newSecret(url, api, 'Phone'), origin: url })
  const ids = new Map()
  // One after another: the list is sorted by age.
  for (const { name, project, title, prompt, mode, allowFirst, until: state } of sessions) {
    const { id } = await api('POST', '/api/sessions', {
      agent: 'claude',
      cwd: join(code, project),
      title,
      prompt,
      ...(mode && { permissionMode: mode }),
    })
    ids.set(name, id)
    if (allowFirst) {
      const ask = await until(`the first ask of ${title}`, async () => (await openAsks(api, id))[0])
      await phone('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: ask.digest })
      await until(`the next ask of ${title}`, async () => (await openAsks(api, id)).some((next) => next.id !== ask.id))
    } else {
      await until(`${title}: ${state}`, async () => isIn(state, await api('GET', `/api/sessions/${id}`)))
    }
  }
  return {
    url,
    readyAt: Date.now(),
    addressOf: (name) => `/sessions/${ids.get(name)}`,
    /** By a link, as a person does. */
    async logIn(context) {
      const { code } = await api('POST', '/api/pairings', { role: 'owner' })
      const page = await context.newPage()
      await page.goto(`${url}/#login=${code}`)
      await page.locator('[data-ask-id]').first().waitFor()
      await page.close()
    },
  }
}

/** By a single-use code, as a phone does. */
async function newSecret(url, api, device) {
  const { code } = await api('POST', '/api/pairings', { role: 'owner' })
  const reply = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name: device }),
  })
  if (!reply.ok) throw new Error(`not logged in: ${await reply.text()}`)
  return (await reply.json()).secret
}

function isIn(state, session) {
  if (session.state === 'dead') throw new Error(`${session.title} ended: ${JSON.stringify(session.error)}`)
  if (state === 'waiting') return session.openAsks > 0
  return session.state === state
}

async function openAsks(api, sessionId) {
  return (await api('GET', `/api/asks?sessionId=${sessionId}`)).asks
}

function writeProjects(code) {
  for (const [project, files] of Object.entries(projects)) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(code, project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
}

async function startModel({ root, code, temporary }) {
  const dir = join(temporary, 'model')
  await build({
    cwd: root,
    input: { model: 'packages/demo-model/src/demo-model.ts', script: 'packages/demo-model/src/script.ts' },
    external: [/^node:/],
    platform: 'node',
    logLevel: 'warn',
    output: { dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  })
  const { startDemoModel } = await import(join(dir, 'model.mjs'))
  const { use, say } = await import(join(dir, 'script.mjs'))
  return startDemoModel({
    script(call) {
      const session = sessions.find(({ prompt }) => call.firstUserText.includes(prompt))
      return session ? session.script(call, { use, say, folder: join(code, session.project) }) : say('Hello')
    },
  })
}

function startGateway({ root, temporary, token, model, onClose }) {
  const cli = join(root, 'dist/cli.js')
  const data = join(temporary, 'data')
  const home = join(temporary, 'home')
  mkdirSync(home)
  // Not the caller's environment: no credential of this machine is for the agent.
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    TMPDIR: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'a-key-that-opens-nothing',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    HOLDPOINT_TOKEN: token,
  }
  const args = [cli, 'start', '--port', '0', '--data', data, '--log-level', 'warn']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onClose(() => spawnSync(process.execPath, [cli, 'stop', '--all', '--data', data], { env, stdio: 'ignore' }))
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const url = /ready: (http\S+)\/login\//.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.on('error', reject)
    child.on('exit', (status) => reject(new Error(`the gateway ended with ${status}`)))
  })
}

function apiOf(url, credential) {
  return async (method, path, body) => {
    const reply = await fetch(url + path, {
      method,
      headers: { ...credential, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

async function until(what, probe) {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const found = await probe()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`${what} did not come`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
