import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ask } from '@holdpoint/schema/ask'
import {
  type BuiltGateway,
  beginCommand,
  type RunningCommand,
  startBuiltGateway,
} from '@holdpoint/testing/built-gateway'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ASK_EXIT } from './ask/ask-exit.ts'

const TOKEN = 'of-two-gateways-0123456789abcdef0123456789abcdef'
const YES_NO = ['--option', 'yes', '--option', 'no']

let database: PostgresServer
let first: BuiltGateway
let second: BuiltGateway
let raiser: Record<string, string>

beforeAll(async () => {
  database = await startPostgres()
  const url = await database.createDatabase()
  const start = (name: string) => startBuiltGateway({ token: TOKEN, args: ['--database', url, '--machine-name', name] })
  first = await start('first')
  const { stdout } = await first.command(['login', '--raiser', 'elsewhere'])
  raiser = { HOLDPOINT_TOKEN: stdout.trim() }
  second = await start('second')
})
afterAll(async () => {
  await second[Symbol.asyncDispose]()
  await first[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const openAsk = (gateway: BuiltGateway, title: string): Promise<Ask> =>
  until(async () => (await gateway.api.openAsks()).find((ask) => ask.title === title), `the ask "${title}"`)
const begin = (args: readonly string[], env: Record<string, string>) =>
  beginCommand(args, { env, home: second.dataDir })
const choose = ({ id }: Ask, place: string) => ['answer', id, 'answer', '--choose', place]
const owner = { HOLDPOINT_TOKEN: TOKEN }

/** Passes calls on to a gateway, and loses the reply to each answer: it is recorded, and nobody is told. */
async function losingAnswers(url: string) {
  let lost = 0
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url: path = '' } = incoming
    const onward = request(url + path, { method, headers: { ...headers, host: new URL(url).host } }, (reply) => {
      if (path.endsWith('/answer')) {
        lost++
        incoming.socket.destroy()
        return
      }
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.pipe(outgoing)
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function timesHeard(watching: RunningCommand, { id }: Ask) {
  const events = watching.output.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  return {
    raised: events.filter(({ type, ask }) => type === 'ask-raised' && ask.id === id).length,
    settled: events.filter(({ type, askId }) => type === 'ask-settled' && askId === id).length,
  }
}

it('[I1] answers once where a reply is lost: the other gateway says what was recorded', async () => {
  await using proxy = await losingAnswers(first.url)
  const asking = begin(['ask', 'Lost?', ...YES_NO, '--url', second.url], raiser)
  const ask = await openAsk(first, 'Lost?')
  const answered = begin(choose(ask, '2'), { ...owner, HOLDPOINT_URL: `${proxy.url},${second.url}` })
  expect(await answered.exited).toMatchObject({ code: 0, stdout: expect.stringContaining(ask.id) })
  expect(proxy.lost()).toBe(1)
  expect(await asking.exited).toMatchObject({ code: ASK_EXIT.another, stdout: 'no\n' })
})

it('F50 [I7] asks, watches and answers on at the other gateway when one is killed, with nothing lost or doubled', async () => {
  const both = ['--url', first.url, '--url', second.url]
  const watching = begin(['asks', '--watch', '--json', ...both], owner)
  await until(() => watching.output.stdout.includes('snapshot'), 'the watch')
  const asking = begin(['ask', 'Before?', ...YES_NO, ...both], raiser)
  const before = await openAsk(second, 'Before?')
  await until(() => asking.output.stderr.includes('Waiting for an answer'), 'it to wait')
  await until(() => timesHeard(watching, before).raised === 1, 'the first ask')
  await first.kill9()

  const later = begin(['ask', 'After?', ...YES_NO, ...both], raiser)
  const after = await openAsk(second, 'After?')
  expect(await begin([...choose(before, '1'), ...both], owner).exited).toMatchObject({ code: 0 })
  expect(await begin([...choose(after, '2'), ...both], owner).exited).toMatchObject({ code: 0 })
  expect(await asking.exited).toMatchObject({ code: ASK_EXIT.first, stdout: 'yes\n' })
  expect(await later.exited).toMatchObject({ code: ASK_EXIT.another, stdout: 'no\n' })

  await until(() => timesHeard(watching, after).settled > 0, 'the last outcome')
  for (const ask of [before, after]) expect(timesHeard(watching, ask)).toEqual({ raised: 1, settled: 1 })
  watching.kill('SIGINT')
  await watching.exited
})
