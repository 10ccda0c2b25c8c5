import { parentPort, workerData } from 'node:worker_threads'
import { createChangeStore } from './change-store.ts'
import type { ChangeCall, ChangeReply, ChangeWorkerData } from './worker-messages.ts'

// A thread of its own: folders are large, and disks are slow.
const store = createChangeStore(workerData as ChangeWorkerData)
const reply = (message: ChangeReply) => parentPort?.postMessage(message)

parentPort?.on('message', ({ id, method, args }: ChangeCall) => {
  const act = store[method] as (...given: readonly unknown[]) => Promise<unknown>
  act(...args).then(
    (value) => reply({ id, value }),
    (error: unknown) => reply({ id, error: error instanceof Error ? error.message : String(error) }),
  )
})
