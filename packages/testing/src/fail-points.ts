import type { AgentDriver } from '@holdpoint/core/driver'

/** Places where a gateway must survive to be killed: before the ask is on record, after its outcome is, and after the agent was told. */
export type FailPoint = 'before-ask' | 'before-delivery' | 'before-record'

/** A driver whose gateway dies, as by kill -9, the n-th time it gets to a place. */
export function failingDriver(driver: AgentDriver, failAt: { point: FailPoint; count: number }): AgentDriver {
  let left = failAt.count
  const answered = new Set<string>()
  const reach = (point: FailPoint) => {
    if (point === failAt.point && --left === 0) process.kill(process.pid, 'SIGKILL')
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
