import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { startInTerminal } from '@holdpoint/testing/terminal/claude-tui'
import { expect, it } from 'vitest'
import { EXIT } from './console/cli-error.ts'

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** Another user's program: takes the port in the moment in which it is free, and writes down whatever it is sent. */
async function takePort(port: number) {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.writeHead(503).end()
  })
  server.on('upgrade', (request, socket) => {
    received.push(`upgrade ${request.url} ${request.headers.authorization}`)
    socket.destroy()
  })
  await new Promise<void>((resolve) => {
    const attempt = () => server.listen(port, '127.0.0.1')
    server.on('listening', resolve)
    server.on('error', () => setImmediate(attempt))
    attempt()
  })
  return {
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('T64 sends no token to whoever takes the port of a gateway that was stopped, and goes on with the next one', async () => {
  let gateway = await startBuiltGateway()
  const { dataDir, token, loginCode } = gateway
  const env = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', HOME: dataDir, TERM: 'xterm-256color', PS1: 'ready> ' }
  const start = (args: readonly string[], more = {}) =>
    startInTerminal({
      program: process.execPath,
      args: [CLI, ...args],
      cwd: dataDir,
      env: { ...env, HOLDPOINT_DATA: dataDir, ...more },
    })
  try {
    await using run = await start(['run', 'bash', '--norc', '--noprofile'], { HOLDPOINT_TOKEN: token })
    await using watch = await start(['asks', '--watch', '--json'], { HOLDPOINT_TOKEN: token })
    // This one has a token of its own, which it revokes at the end.
    await using coded = await start(['asks', '--watch', '--json'])
    await coded.waitFor('Code or link:')
    coded.type(`${loginCode}\r`)
    await Promise.all([run.waitFor('ready>'), ...[watch, coded].map((one) => one.waitFor('"type":"snapshot"'))])

    const port = Number(new URL(gateway.url).port)
    // What is half sent must not keep the gateway when its port is gone.
    const half = connect(port, '127.0.0.1').on('error', () => {})
    half.write(`POST /api/proofs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`)
    const [stranger] = await Promise.all([takePort(port), gateway.stop()])
    {
      await using _ = stranger
      await Promise.all([watch, coded].map((one) => one.waitFor('Waiting for it')))
      // By then each of them has tried several times.
      await run.waitFor('Gateway unreachable')
      coded.type('\x03')
      await coded.waitFor('could not be revoked')
      expect(await coded.exit).toBe(EXIT.interrupted)
      expect(stranger.received).toEqual([])
    }

    gateway = await startBuiltGateway({ dataDir, token })
    await watch.waitFor('The gateway is back.')
    await run.waitForGone('Gateway unreachable')
    run.type('exit\r')
    await run.exit
  } finally {
    await gateway[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
