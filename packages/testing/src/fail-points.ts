import type { AgentDriver } from '@holdpoint/core/driver'

/** Places where a gateway must survive to be killed: before the ask is on record, after its outcome is, and after the agent was told. */
export type FailPoint = 'before-ask' | 'before-delivery' | 'before-record'

/** A driver whose gateway dies the n-th time it gets to a place: as by kill -9, or because it is out of memory. */
export function failingDriver(
  driver: AgentDriver,
  failAt: { point: FailPoint; count: number; by: 'kill' | 'memory' },
): AgentDriver {
  let left = failAt.count
  const answered = new Set<string>()
  const reach = (point: FailPoint) => {
    if (point !== failAt.point || --left > 0) return
    if (failAt.by === 'kill') process.kill(process.pid, 'SIGKILL')
    for (const hoard: unknown[] = []; ; ) hoard.push(Array.from({ length: 100_000 }, (_, n) => ({ n })))
  }
  return {
    ...driver,
    start: (start) =>
      driver.start({
        ...start,
        async ask(request, options) {
          reach('before-ask')
          const outcome = await start.ask(request, options)
          answered.add(request.requestId)
          reach('before-delivery')
          return outcome
        },
        delivered(requestIds) {
          // Not what an earlier gateway delivered and this one merely hears of.
          if (requestIds.some((id) => answered.has(id))) reach('before-record')
          start.delivered(requestIds)
        },
      }),
  }
}
