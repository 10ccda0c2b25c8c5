/**
 * What is used here of a service worker's global. TypeScript has it only in a library that excludes that of pages, and both
 * are checked together.
 */
export interface WorkerScope {
  readonly registration: Pick<ServiceWorkerRegistration, 'getNotifications' | 'showNotification' | 'pushManager'>
  readonly clients: WindowClients
  readonly location: { readonly origin: string }
  readonly navigator: Partial<Pick<Navigator, 'setAppBadge' | 'clearAppBadge'>>
  /** 0 or missing where notifications have no buttons. */
  readonly Notification: { readonly maxActions?: number }
  readonly fetch: typeof fetch
  skipWaiting(): Promise<void>
  addEventListener<Type extends keyof WorkerEvents>(type: Type, listener: (event: WorkerEvents[Type]) => void): void
}

export interface WorkerEvents {
  readonly install: LastingEvent
  readonly activate: LastingEvent
  readonly push: LastingEvent & { readonly data: { text(): string } | null }
  readonly notificationclick: LastingEvent & { readonly notification: ShownNotification; readonly action: string }
  readonly pushsubscriptionchange: LastingEvent & { readonly oldSubscription?: PushSubscription | null }
  readonly fetch: {
    readonly request: Request
    respondWith(response: Promise<Response>): void
  }
}

/** The browser keeps the worker running until what is given here is done. */
export interface LastingEvent {
  waitUntil(done: Promise<unknown>): void
}

export interface ShownNotification {
  readonly tag: string
  readonly title: string
  readonly data: unknown
  close(): void
}

export interface WindowClients {
  matchAll(options: { readonly type: 'window'; readonly includeUncontrolled: true }): Promise<readonly OpenWindow[]>
  openWindow(path: string): Promise<unknown>
  claim(): Promise<void>
}

export interface OpenWindow {
  readonly focused: boolean
  readonly visibilityState: DocumentVisibilityState
  focus(): Promise<unknown>
  navigate(path: string): Promise<unknown>
  postMessage(message: unknown, transfer: readonly MessagePort[]): void
}
