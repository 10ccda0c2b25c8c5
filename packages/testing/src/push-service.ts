import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PushMessage, PushSubscription } from '@holdpoint/schema/notification'

/** One request of the gateway, decrypted as the browser would. */
export interface Pushed {
  readonly headers: IncomingHttpHeaders
  readonly message: PushMessage
  /** Which subscription it was for. */
  readonly path: string
}

/**
 * A push service on loopback, and browsers that have subscribed to it: it takes what the gateway sends, and decrypts it with
 * code of its own (RFC 8188, RFC 8291). `answer` sets how it replies from then on.
 */
export async function startPushService() {
  const browsers = new Map<string, Browser>()
  const pushed: Pushed[] = []
  const waiting: (() => void)[] = []
  let reply: { status: number; headers?: Record<string, string> } = { status: 201 }
  let requests = 0

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests++
      const browser = browsers.get(request.url ?? '')
      if (browser && reply.status === 201) {
        const message = JSON.parse(decrypt(browser, Buffer.concat(chunks))) as PushMessage
        pushed.push({ headers: request.headers, message, path: request.url ?? '' })
      }
      response.writeHead(browser ? reply.status : 410, reply.headers)
      response.end()
      for (const wake of waiting.splice(0)) wake()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  async function until<Value>(find: () => Value | undefined): Promise<Value> {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  return {
    /** `host:port`, for the list of private places that the gateway may send to. */
    place: `127.0.0.1:${port}`,
    pushed,
    requests: () => requests,
    /** What a browser gives to the app when it subscribes. */
    subscribe(): PushSubscription {
      const ecdh = createECDH('prime256v1')
      ecdh.generateKeys()
      const browser = { ecdh, auth: randomBytes(16) }
      const path = `/push/${randomBytes(8).toString('hex')}`
      browsers.set(path, browser)
      return {
        endpoint: `http://127.0.0.1:${port}${path}`,
        keys: { p256dh: ecdh.getPublicKey('base64url'), auth: browser.auth.toString('base64url') },
      }
    },
    /** The browser has ended it: from now on it is gone. */
    end: (subscription: PushSubscription) => browsers.delete(new URL(subscription.endpoint).pathname),
    answer(status: number, headers?: Record<string, string>) {
      reply = { status, ...(headers && { headers }) }
    },
    /** The first message that fits, also one that came before. */
    message: (fits: (message: PushMessage) => boolean) =>
      until(() => pushed.find(({ message }) => fits(message))?.message),
    /** Resolves when so many requests have come. */
    until: (count: number) => until(() => (requests >= count ? requests : undefined)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Browser {
  readonly ecdh: ReturnType<typeof createECDH>
  readonly auth: Buffer
}

function decrypt({ ecdh, auth }: Browser, body: Buffer): string {
  const salt = body.subarray(0, 16)
  const keyLength = body.readUInt8(20)
  const senderKey = body.subarray(21, 21 + keyLength)
  const records = body.subarray(21 + keyLength)
  const shared = ecdh.computeSecret(senderKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const secret = Buffer.from(hkdfSync('sha256', shared, auth, info, 32))
  const key = Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16))
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12))
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(records.subarray(-16))
  const plain = Buffer.concat([decipher.update(records.subarray(0, -16)), decipher.final()])
  // The last record ends with a 2 and zeros.
  return plain.subarray(0, plain.lastIndexOf(2)).toString()
}
