import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on loopback that keeps what clients send and can lose it, or what the server answers. */
export async function startProxy() {
  let target: { hostname: string; port: string } | undefined
  let dropping: 'requests' | 'responses' | undefined
  const recordings: Buffer[][] = []
  const sockets = new Set<Socket>()

  const server = createServer((client) => {
    if (!target) return client.destroy()
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    const recording: Buffer[] = []
    recordings.push(recording)
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      recording.push(chunk)
      if (dropping === 'requests') end()
      else upstream.write(chunk)
    })
    upstream.on('data', (chunk) => (dropping === 'responses' ? end() : client.write(chunk)))
  })
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connectTo(url: string) {
      target = new URL(url)
    },
    /** While on, a response is lost at its first byte: the server did its work, and the client does not know. */
    dropResponses(on: boolean) {
      dropping = on ? 'responses' : undefined
    },
    /** While on, a request is lost at its first byte: the server never hears of it. */
    dropRequests(on: boolean) {
      dropping = on ? 'requests' : undefined
    },
    /** Ends every connection now, whatever is under way on it. */
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    /** What clients sent, connection by connection. */
    recordings: () => recordings.map((chunks) => Buffer.concat(chunks)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
