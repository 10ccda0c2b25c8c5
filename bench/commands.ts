export type Handlers = Readonly<Record<string, (parameters: never) => unknown>>

export interface Command {
  readonly id: number
  readonly name: string
  readonly parameters: unknown
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly ready: unknown }

/** Does what the parent process says, and goes when the parent is gone. */
export function serveCommands(handlers: Handlers, ready: unknown): void {
  const send = (reply: Reply) => process.send?.(reply)
  process.on('disconnect', () => process.exit(0))
  process.on('message', async ({ id, name, parameters }: Command) => {
    try {
      send({ id, value: await handlers[name]?.(parameters as never) })
    } catch (error) {
      send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  send({ ready })
}

/** Milliseconds on the one clock that all processes of the machine share. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
