import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Reply } from './commands.ts'

export interface Child<Ready = unknown> extends AsyncDisposable {
  readonly pid: number
  readonly ready: Ready
  /** From the fork until it said that it is ready. */
  readonly startMs: number
  call<Value>(name: string, parameters?: unknown): Promise<Value>
  kill(signal: NodeJS.Signals): Promise<void>
}

const START_LIMIT_MS = 60_000
const CALL_LIMIT_MS = 180_000
const CLOSE_LIMIT_MS = 10_000

/** Starts one of the benchmark's programs as a process of its own. */
export async function startChild<Ready>(
  program: string,
  options: { parameters?: unknown; execArgv?: readonly string[] } = {},
): Promise<Child<Ready>> {
  const from = performance.now()
  const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url))
  const child = fork(path, [JSON.stringify(options.parameters ?? {})], {
    execArgv: [...(options.execArgv ?? [])],
    // What is printed is the table; what children have to say goes to where people look for trouble.
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const exited = once(child, 'exit')
  const waiting = new Map<number, (reply: Reply) => void>()
  let calls = 0
  let settleReady = (_ready: Ready) => {}
  const ready = new Promise<Ready>((resolve) => {
    settleReady = resolve
  })
  child.on('message', (reply: Reply) => {
    if ('ready' in reply) return settleReady(reply.ready as Ready)
    waiting.get(reply.id)?.(reply)
  })
  const gone = exited.then(([code, signal]): never => {
    throw new Error(`${program} ended (${signal ?? code})`)
  })
  gone.catch(() => {})

  async function kill(signal: NodeJS.Signals) {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
  }

  async function call<Value>(name: string, parameters?: unknown): Promise<Value> {
    const id = ++calls
    const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve))
    child.send({ id, name, parameters })
    const reply = await within(CALL_LIMIT_MS, `${program}: ${name}`, Promise.race([answered, gone]))
    waiting.delete(id)
    if ('error' in reply) throw new Error(`${program}: ${name}: ${reply.error}`)
    return (reply as { value: Value }).value
  }

  async function close() {
    await call('close')
    child.disconnect()
    await exited
  }

  return {
    pid: child.pid ?? 0,
    ready: await within(START_LIMIT_MS, `the start of ${program}`, Promise.race([ready, gone])).catch(async (error) => {
      await kill('SIGKILL')
      throw error
    }),
    startMs: performance.now() - from,
    call,
    kill,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      await within(CLOSE_LIMIT_MS, `${program}: close`, close()).catch((error) => console.error(String(error)))
      await kill('SIGKILL')
    },
  }
}

async function within<Value>(limitMs: number, what: string, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs / 1000} s`)), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
