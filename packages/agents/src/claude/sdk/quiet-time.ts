import type { AgentLine } from '../asks/agent-line.ts'

/**
 * Since when an agent has had nothing to do, as far as its lines tell: no turn, also none that it began by itself, and no
 * background task. What cannot be told counts as work: of a process that was taken over neither is known until its answer to
 * `initialize` tells both anew, and a Claude Code that does not tell them is never known to be quiet.
 */
export function createQuietTime({ isTakenOver, now }: { readonly isTakenOver: boolean; readonly now: () => number }) {
  let state: unknown = isTakenOver ? undefined : 'idle'
  let tasks: ReadonlySet<unknown> | undefined = isTakenOver ? undefined : new Set()
  let last = now()

  function system(line: AgentLine) {
    if (line.subtype === 'session_state_changed') state = line.state
    // A turn begins, and nobody has said so before.
    if (line.subtype === 'init' && state === 'idle') state = undefined
    // All that live, each time.
    if (line.subtype === 'background_tasks_changed')
      tasks = Array.isArray(line.tasks) ? new Set(line.tasks.map((task) => field(task, 'task_id'))) : undefined
    const isUntold = line.subtype === 'task_started' && line.is_backgrounded !== false && !tasks?.has(line.task_id)
    if (isUntold) tasks = undefined
  }

  return {
    /** Any output: `message` where it is one. */
    heard(message: AgentLine | undefined) {
      last = now()
      if (message?.type === 'system') system(message)
      const told = message?.type === 'control_response' && field(field(message.response, 'response'), 'session_state')
      if (typeof told === 'string') state = told
    },
    /** In milliseconds; undefined while it is at work, and where that is not known. */
    quietMs: (): number | undefined => (state === 'idle' && tasks?.size === 0 ? now() - last : undefined),
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
