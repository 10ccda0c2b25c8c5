import { Worker } from 'node:worker_threads'
import type { ChangeStore } from './change-store.ts'
import type { ChangeReply, ChangeWorkerData } from './worker-messages.ts'

/** A folder that is larger than all limits must not take the gateway's memory with it. */
const HEAP_MB = 768

/**
 * The store in a thread of its own, which begins with the first call. If the thread dies, its calls fail, and the next one
 * begins another: everything that counts is on the disk.
 */
export function createChangeThread(main: string, data: ChangeWorkerData): ChangeStore {
  let worker: Worker | undefined
  let lastId = 0
  const calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()

  function running(): Worker {
    if (worker) return worker
    const started = new Worker(main, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
    worker = started
    started.unref()
    started.on('message', (reply: ChangeReply) => {
      const call = calls.get(reply.id)
      calls.delete(reply.id)
      if ('error' in reply) call?.reject(new Error(reply.error))
      else call?.resolve(reply.value)
    })
    let why = 'the thread that looks at files has ended'
    started.on('error', (error: Error) => {
      why = `the thread that looks at files has failed: ${error.message}`
    })
    started.on('exit', () => {
      if (worker === started) worker = undefined
      for (const { reject } of calls.values()) reject(new Error(why))
      calls.clear()
    })
    return started
  }

  function call<Method extends keyof ChangeStore>(
    method: Method,
    ...args: Parameters<ChangeStore[Method]>
  ): ReturnType<ChangeStore[Method]> {
    return new Promise<unknown>((resolve, reject) => {
      const id = ++lastId
      calls.set(id, { resolve, reject })
      running().postMessage({ id, method, args })
    }) as ReturnType<ChangeStore[Method]>
  }

  return {
    begin: (...args) => call('begin', ...args),
    mark: (...args) => call('mark', ...args),
    end: (...args) => call('end', ...args),
    list: (...args) => call('list', ...args),
    file: (...args) => call('file', ...args),
    open: () => call('open'),
    remove: (...args) => call('remove', ...args),
    async close() {
      if (!worker) return
      await call('close').catch(() => {})
      await worker.terminate()
    },
  }
}
