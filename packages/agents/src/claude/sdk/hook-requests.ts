import type { ControlLine } from '../../host/wire/control-line.ts'

/**
 * Which request the agent waits on with its hook before a call: the SDK keeps that to itself, and it is what an ask is
 * found again by. It also knows what is open, `found` being what was when we took over: the agent gives up a hook that
 * waits when it is given others, and then the SDK has not heard of it yet.
 */
export function createHookRequests(found: readonly string[] = []) {
  const requests = new Map<string, string[]>()
  const open = new Set(found)
  const unheard = new Set(found)

  return {
    /** Says whether something was taken back that nobody here waits for. */
    arrived(control: ControlLine): boolean {
      if (control.type === 'request') {
        unheard.delete(control.requestId)
        if (unheard.size > 0) open.add(control.requestId)
        if (control.call)
          requests.set(control.call.toolUseId, [...(requests.get(control.call.toolUseId) ?? []), control.requestId])
      }
      if (control.type !== 'cancel') return false
      open.delete(control.requestId)
      return unheard.delete(control.requestId)
    },
    /** Once for each request: two calls under one id must not share an answer. */
    take(toolUseId: string): string | undefined {
      const [next, ...rest] = requests.get(toolUseId) ?? []
      if (rest.length > 0) requests.set(toolUseId, rest)
      else requests.delete(toolUseId)
      return next
    },
    open: (): string[] => [...open],
  }
}
