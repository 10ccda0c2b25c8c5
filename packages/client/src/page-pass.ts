import type { SealedSecret } from '@holdpoint/schema/page-proof'
import { paths } from '@holdpoint/schema/paths'
import { provenText } from '@holdpoint/schema/proven-text'
import type { PageLogin } from './page-login.ts'
import { TransportFault } from './transport.ts'

const DEADLINE_MS = 10_000

type Said = {
  readonly proof?: unknown
  readonly key?: unknown
  readonly pass?: unknown
  readonly error?: { readonly code?: unknown }
} | null

const NOT_THE_GATEWAY =
  'Another program answers at this address. It cannot prove that it is the gateway that this browser is logged in to. Nothing was sent to it.'

const OTHER_USER =
  'A program of another user stands between this page and the gateway, or this browser belongs to another user. If the browser is yours, end that program, close all Holdpoint tabs in this browser and open a new login link.'

export interface PagePass {
  /**
   * What a page calls with. `undefined`: the gateway does not know this login any more. Throws a `TransportFault` when
   * nobody is there, or somebody else.
   */
  of(login: PageLogin, signal?: AbortSignal): Promise<string | undefined>
  /** The gateway was lost, or does not know the pass: whoever answers next has to prove what it is. */
  drop(): void
}

/**
 * A program of somebody else may take the gateway's port while the gateway is down, and every open page comes back by
 * itself (T64). So the secret is told only to a server that has proved itself, so that nobody else could read it who gets
 * the message in its place, and only for a pass that is worth nothing once that server is gone.
 */
export function createPagePass({ baseUrl, fetch: doFetch }: { baseUrl: string; fetch: typeof fetch }): PagePass {
  const { origin } = new URL(baseUrl)
  let latest: { readonly secret: string; readonly pass: Promise<string | undefined> } | undefined

  async function get(login: PageLogin): Promise<string | undefined> {
    const nonce = base64url(crypto.getRandomValues(new Uint8Array(32)))
    const { body } = await post(paths.account.prove.path, { device: login.device, nonce })
    refuseOtherUser(body)
    const key = await provenKey(login, nonce, body)
    if (!key) throw new TransportFault('not_the_gateway', NOT_THE_GATEWAY)
    const given = await post(paths.account.pass.path, await sealed(login.secret, key))
    refuseOtherUser(given.body)
    if (given.status === 401) return undefined
    if (typeof given.body?.pass === 'string') return given.body.pass
    throw new TransportFault('unreachable', `The gateway gave no pass (${given.status}).`)
  }

  /** The gateway sees that somebody may stand between: said in words of our own, for he could have changed any other (T64). */
  function refuseOtherUser(body: Said) {
    if (body?.error?.code === 'other_user') throw new TransportFault('not_the_gateway', OTHER_USER)
  }

  /** The key of the process that answers, if it has proved to be the gateway. */
  async function provenKey(login: PageLogin, nonce: string, body: Said): Promise<string | undefined> {
    const { proof, key } = body ?? {}
    if (typeof proof !== 'string' || !/^[\w-]{43}$/.test(proof)) return undefined
    if (typeof key !== 'string' || !/^[\w-]{87}$/.test(key)) return undefined
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const proofKey = await crypto.subtle.importKey('raw', bytesOf(login.proofKey), algorithm, false, ['verify'])
    const text = encoded(provenText({ origin, nonce, key }))
    return (await crypto.subtle.verify('HMAC', proofKey, bytesOf(proof), text)) ? key : undefined
  }

  async function sealed(secret: string, theirs: string): Promise<SealedSecret> {
    const curve = { name: 'ECDH', namedCurve: 'P-256' }
    const own = await crypto.subtle.generateKey(curve, false, ['deriveKey'])
    const publicKey = await crypto.subtle.importKey('raw', bytesOf(theirs), curve, false, [])
    const agreed = { name: 'ECDH', public: publicKey }
    const cipher = { name: 'AES-GCM', length: 256 }
    const key = await crypto.subtle.deriveKey(agreed, own.privateKey, cipher, false, ['encrypt'])
    const once = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: encoded(origin) }
    return {
      key: base64url(new Uint8Array(await crypto.subtle.exportKey('raw', own.publicKey))),
      sealed: base64url(new Uint8Array(await crypto.subtle.encrypt(once, key, encoded(secret)))),
    }
  }

  async function post(path: string, body: object) {
    try {
      const response = await doFetch(baseUrl + path, {
        method: 'POST',
        headers: { 'x-holdpoint': '1', 'content-type': 'application/json' },
        credentials: 'same-origin',
        cache: 'no-store',
        signal: AbortSignal.timeout(DEADLINE_MS),
        body: JSON.stringify(body),
      })
      const said: Said = await response.json().catch(() => null)
      if (response.status >= 500) throw new Error(`${path}: ${response.status}`)
      return { status: response.status, body: said }
    } catch (cause) {
      throw new TransportFault('unreachable', `POST ${path}: the gateway did not answer`, { cause })
    }
  }

  return {
    of(login, signal) {
      if (latest?.secret !== login.secret) {
        const made = { secret: login.secret, pass: get(login) }
        latest = made
        // Whoever waits is told; whoever comes next tries again.
        made.pass.catch(() => {
          if (latest === made) latest = undefined
        })
      }
      return unlessAborted(latest.pass, signal)
    },
    drop() {
      latest = undefined
    },
  }
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new TransportFault('aborted', 'The call was cancelled.'))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}

function base64url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
