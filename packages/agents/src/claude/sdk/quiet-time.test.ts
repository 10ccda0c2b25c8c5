import { describe, expect, it } from 'vitest'
import type { AgentLine } from '../asks/agent-line.ts'
import { createQuietTime } from './quiet-time.ts'

const system = (subtype: string, more: object = {}) => ({ type: 'system', subtype, ...more })
const state = (now: string) => system('session_state_changed', { state: now })
const tasks = (...ids: string[]) => system('background_tasks_changed', { tasks: ids.map((task_id) => ({ task_id })) })
const started = (task_id: string, is_backgrounded?: boolean) => system('task_started', { task_id, is_backgrounded })
const initialized = (session_state?: string) => ({
  type: 'control_response',
  response: { response: { session_state } },
})
const turn = [state('running'), system('init'), { type: 'result' }, state('idle')]

/** How long it has been quiet, 100 ms after the last of these lines. */
function quietAfter(lines: readonly AgentLine[], isTakenOver = false): number | undefined {
  let time = 0
  const quiet = createQuietTime({ isTakenOver, now: () => time })
  for (const line of lines) {
    time += 1000
    quiet.heard(line)
  }
  time += 100
  return quiet.quietMs()
}

describe('an agent is quiet', () => {
  it.each<[string, AgentLine[]]>([
    ['before its first turn', []],
    ['after a turn', turn],
    ['after a command in the background has ended', [...turn, tasks('a'), started('a', true), tasks()]],
    ['after a subagent that it has waited for', [...turn.slice(0, 2), started('a', false), ...turn.slice(2)]],
  ])('%s, since its last line', (_, lines) => {
    expect(quietAfter(lines)).toBe(100)
  })

  it('once it was taken over and has told both what it does and what runs in the background', () => {
    expect(quietAfter([initialized('idle'), tasks()], true)).toBe(100)
    expect(quietAfter([initialized('idle'), tasks(), ...turn], true)).toBe(100)
  })

  it('counts from any line, also one that is no message', () => {
    let time = 0
    const quiet = createQuietTime({ isTakenOver: false, now: () => time })
    time = 5000
    quiet.heard(undefined)
    expect(quiet.quietMs()).toBe(0)
  })
})

describe('[I4] an agent is not known to be quiet', () => {
  it.each<[string, AgentLine[]]>([
    ['in a turn', turn.slice(0, 3)],
    ['in a turn that it began by itself', [...turn, state('running'), system('init')]],
    ['while it waits for a person', [...turn, state('requires_action')]],
    ['with a task in the background', [...turn, tasks('a', 'b'), tasks('b')]],
    ['with a task of which its list says nothing', [...turn, tasks('a'), started('b', true)]],
    ['with a task of a Claude Code that has no such list', [...turn, started('b')]],
    ['where its list cannot be read', [...turn, system('background_tasks_changed')]],
    ['in a turn of a Claude Code that says nothing of it', [system('init'), { type: 'result' }]],
  ])('%s', (_, lines) => {
    expect(quietAfter(lines)).toBeUndefined()
  })

  it.each<[string, AgentLine[]]>([
    ['at once', []],
    ['while it has not told what runs in the background', [initialized('idle'), ...turn]],
    ['while it has not told what it does', [initialized(), tasks()]],
    ['while it works', [initialized('running'), tasks()]],
  ])('after it was taken over: %s', (_, lines) => {
    expect(quietAfter(lines, true)).toBeUndefined()
  })
})
