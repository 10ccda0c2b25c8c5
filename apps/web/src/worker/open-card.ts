import type { OpenWindow, WorkerScope } from './worker-scope.ts'

/** A page that is awake answers in a few milliseconds. */
const ANSWER_MS = 500

/** What the worker asks a page for, with a port for its yes. */
export interface OpenRequest {
  readonly type: 'open'
  readonly path: string
}

/** Brings a window of ours to the front and shows a path in it; opens one where there is none. */
export async function openCard(scope: WorkerScope, path: string): Promise<void> {
  const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const best =
    windows.find(({ focused }) => focused) ??
    windows.find(({ visibilityState }) => visibilityState === 'visible') ??
    windows[0]
  if (!best) return void (await scope.clients.openWindow(path))
  try {
    // Where the browser does not let it, the card is there once the person comes by themselves.
    await best.focus().catch(() => {})
    // The page goes there by itself, and keeps what is half written in it. One that cannot, such as one of an earlier
    // version, is loaded anew.
    if (!(await asksPage(best, path))) await best.navigate(path)
  } catch {
    await scope.clients.openWindow(path)
  }
}

function asksPage(page: OpenWindow, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const done = (isDone: boolean) => {
      clearTimeout(timer)
      port1.close()
      resolve(isDone)
    }
    const timer = setTimeout(() => done(false), ANSWER_MS)
    port1.onmessage = () => done(true)
    page.postMessage({ type: 'open', path } satisfies OpenRequest, [port2])
  })
}
