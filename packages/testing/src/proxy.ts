import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface Cut {
  readonly of: 'requests' | 'responses'
  readonly after: number
  /** Whether the count begins with this piece of a request. */
  readonly from: (chunk: Buffer) => boolean
}

/** A TCP proxy on loopback that keeps what clients send and can lose it, or what the server answers. */
export async function startProxy() {
  let target: { hostname: string; port: string } | undefined
  let dropping: 'requests' | 'responses' | undefined
  let cutting: (Cut & { passed: number }) | undefined
  const recordings: Buffer[][] = []
  const sockets = new Set<Socket>()

  const server = createServer((client) => {
    if (!target) return client.destroy()
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    const recording: Buffer[] = []
    let cut: (Cut & { passed: number }) | undefined
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
      if (cutting?.from(chunk)) {
        cut = cutting
        cutting = undefined
      }
      if (dropping === 'requests') end()
      else pass(chunk, { to: upstream, of: 'requests' })
    })
    upstream.on('data', (chunk) => {
      if (dropping === 'responses') end()
      else pass(chunk, { to: client, of: 'responses' })
    })
    function pass(chunk: Buffer, { to, of }: { to: Socket; of: Cut['of'] }) {
      if (cut?.of !== of) return to.write(chunk)
      if (to.writableEnded) return false
      const part = chunk.subarray(0, cut.after - cut.passed)
      cut.passed += part.length
      // What has passed arrives, and nothing else.
      return cut.passed < cut.after ? to.write(part) : to.end(part, end)
    }
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
    /** Nothing passes any more on the connections that there are, and none of them ends: as where a way through the network is lost. */
    silence() {
      for (const socket of sockets) socket.removeAllListeners('data').pause()
    },
    /** Once, on the connection whose request is meant: it ends after so many bytes. Gives how many have passed. */
    cutAfter(cut: Cut): { readonly passed: number } {
      cutting = { ...cut, passed: 0 }
      return cutting
    },
    /** What clients sent, connection by connection. */
    recordings: () => recordings.map((chunks) => Buffer.concat(chunks)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
