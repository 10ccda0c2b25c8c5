import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../fixtures/host-fixture.ts'
import { HostChannel } from './host-channel.ts'

/** A channel to a host that only listens. */
async function channel() {
  const folder = mkdtempSync(join(tmpdir(), 'hp-channel-'))
  const heard: string[] = []
  const server = createServer((peer) => peer.on('data', (chunk) => heard.push(...chunk.toString().trim().split('\n'))))
  await new Promise<void>((resolve) => server.listen(join(folder, 's'), resolve))
  const socket: Socket = connect(join(folder, 's'))
  onTestFinished(() => {
    socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const opened = new HostChannel(socket, { onMessage() {}, onClose() {} })
  return { channel: opened, messages: () => heard.map((text) => JSON.parse(text) as unknown) }
}

it('sends the newest acknowledgement of each agent ahead of the next message', async () => {
  const { channel: host, messages } = await channel()
  for (const line of [1, 2, 7]) host.acknowledge({ key: 'a', line })
  host.acknowledge({ key: 'b', line: 3 })
  host.send({ t: 'forget', key: 'c' })
  host.send({ t: 'forget', key: 'd' })
  await until(() => messages().length === 4, 'four messages')
  expect(messages()).toEqual([
    { t: 'ack', key: 'a', line: 7 },
    { t: 'ack', key: 'b', line: 3 },
    { t: 'forget', key: 'c' },
    { t: 'forget', key: 'd' },
  ])
})

it('sends an acknowledgement that nothing follows', async () => {
  const { channel: host, messages } = await channel()
  host.acknowledge({ key: 'a', line: 1 })
  await until(() => messages().length === 1, 'the acknowledgement')
  host.acknowledge({ key: 'a', line: 2 })
  await until(() => messages().length === 2, 'the next one')
  expect(messages()).toEqual([1, 2].map((line) => ({ t: 'ack', key: 'a', line })))
})
