const WORKER = '/worker.js'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The content security policy lets a page load only scripts that a policy has made: this one makes one. */
let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

function workerAddress(): string {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('holdpoint-worker', { createScriptURL: () => WORKER })
  return policy?.createScriptURL(WORKER) ?? WORKER
}

export function registerWorker(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(workerAddress(), { scope: '/', updateViaCache: 'none' })
}

export async function workerRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  return 'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration('/') : undefined
}

/**
 * Over HTTPS the worker may stay: nobody else can answer at this address. Over plain HTTP it is there only for pushes that
 * were asked for, because a program that takes the gateway's port could replace it with one of its own, which outlives both
 * (T64).
 */
export function mayKeepWorker(): boolean {
  return window.location.protocol === 'https:'
}
