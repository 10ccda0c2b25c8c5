import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Options, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import {
  ask,
  multiQuestion,
  planSteps,
  planUntilApproved,
  singleQuestion,
  steps,
  subagents,
  turns,
} from '@holdpoint/demo-model/scenarios'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import { type Folders, launch, type RealClaude, type SeenAsk } from '../../real-claude.ts'

/** Longer than the grace after which an open call counts as waiting. */
const HELD_MS = 1300

export interface RecordedScenario {
  readonly script: Script
  readonly prompt?: string
  readonly options?: Options
  readonly answer?: (ask: SeenAsk) => Promise<PermissionResult>
  readonly prepare?: (folders: Folders) => Promise<void>
  /** What is done while it runs; until the first result when absent. */
  readonly play?: (claude: RealClaude) => Promise<unknown>
  /** A second run on the same conversation. */
  readonly resumed?: Omit<RecordedScenario, 'resumed' | 'prepare'>
}

const bash = (command: string, description = 'A command') => use('Bash', { command, description })

const allow = ({ input }: SeenAsk): PermissionResult => ({ behavior: 'allow', updatedInput: input })
const deny = (): PermissionResult => ({ behavior: 'deny', message: 'Not that one, please.' })

/** A person thinks for a while. */
function held(answer: (ask: SeenAsk, nth: number) => PermissionResult) {
  let count = 0
  return async (seen: SeenAsk): Promise<PermissionResult> => {
    const nth = ++count
    await pause(HELD_MS)
    return answer(seen, nth)
  }
}

/** Never answers: the ask ends otherwise. */
const never = ({ context }: SeenAsk) =>
  new Promise<PermissionResult>((resolve) => {
    context.signal.addEventListener('abort', () => resolve(deny()), { once: true })
  })

function answers(given: Record<string, string>) {
  return held(({ input }) => ({ behavior: 'allow', updatedInput: { ...input, answers: given } }))
}

const inProject =
  (name: string, text: string) =>
  async ({ cwd }: Folders) =>
    writeFile(join(cwd, name), text)

function here(name: string): (call: { cwd?: string }) => string {
  return ({ cwd = '' }) => join(cwd, name)
}

/** Each is played by the real Claude Code on the demo model; see `record-main.ts`. */
export const scenarios: Readonly<Record<string, RecordedScenario>> = {
  'bash-allowed': { script: steps([bash('touch a')]), answer: held(allow) },
  'bash-denied': { script: steps([bash('touch a')], 'Then not.'), answer: held(deny) },
  'bash-denied-and-stopped': {
    script: steps([bash('touch a')]),
    answer: held(() => ({ behavior: 'deny', message: 'Stop.', interrupt: true })),
  },
  'bash-answered-at-once': { script: steps([bash('touch a'), bash('touch b')]), answer: async (seen) => allow(seen) },
  'bash-unasked': { script: steps([bash('ls'), bash('pwd')]) },
  'bash-failed': { script: steps([bash('ls missing; exit 3')]), answer: async (seen) => allow(seen) },
  'write-allowed': {
    script: steps([
      (call) => ({ content: [use('Write', { file_path: here('new.txt')(call), content: 'one\ntwo\n' })] }),
    ]),
    answer: held(allow),
  },
  'edit-allowed': {
    prepare: inProject('notes.txt', 'one\ntwo\n'),
    script: steps([
      (call) => ({ content: [use('Read', { file_path: here('notes.txt')(call) })] }),
      (call) => ({
        content: [use('Edit', { file_path: here('notes.txt')(call), old_string: 'two', new_string: 'three' })],
      }),
    ]),
    answer: held(allow),
  },
  'edit-in-accept-edits': {
    script: steps([
      (call) => ({ content: [use('Write', { file_path: here('new.txt')(call), content: 'one\n' })] }),
      bash('node --version'),
    ]),
    options: { ...launch, permissionMode: 'acceptEdits' },
    answer: held(allow),
  },
  'bypass-mode': {
    script: steps([bash('touch a'), ask(singleQuestion)]),
    options: { ...launch, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    answer: answers({ [singleQuestion.question]: 'Two columns' }),
  },
  'question-answered': {
    script: steps([ask(singleQuestion)]),
    answer: answers({ [singleQuestion.question]: 'Two columns' }),
  },
  'questions-answered': {
    script: steps([ask(singleQuestion, multiQuestion)]),
    answer: answers({ [singleQuestion.question]: 'My own words', [multiQuestion.question]: 'Store, Page' }),
  },
  'plan-approved': { script: steps(planSteps('# Plan\n\n1. one\n2. two\n')), answer: held(allow) },
  'plan-sent-back': {
    script: planUntilApproved('# Plan\n\n1. one\n'),
    answer: held((seen, nth) => (nth === 1 ? deny() : allow(seen))),
  },
  'parallel-calls': {
    script: steps([[bash('touch a'), bash('touch b'), bash('touch c')]]),
    answer: held((seen, nth) => (nth === 2 ? deny() : allow(seen))),
  },
  subagents: {
    script: subagents([
      { prompt: 'the first task', steps: [bash('touch one')], end: 'one is done' },
      { prompt: 'the second task', steps: [bash('touch two'), bash('ls')], end: 'two is done' },
    ]),
    answer: held(allow),
  },
  'interrupted-while-waiting': {
    script: steps([bash('touch a')]),
    answer: never,
    play: async (claude) => {
      await claude.until(() => claude.asks[0])
      await pause(HELD_MS)
      await claude.query.interrupt()
      await claude.result()
    },
  },
  'interrupted-while-running': {
    script: steps([bash('touch a; tail -f a')]),
    answer: async (seen) => allow(seen),
    play: async (claude) => {
      await claude.until(() => claude.asks[0])
      await pause(500)
      await claude.query.interrupt()
      await claude.result()
    },
  },
  'two-turns': {
    script: turns(steps([bash('touch a')], 'first'), steps([bash('touch b')], 'second')),
    answer: held(allow),
    play: async (claude) => {
      await claude.result()
      claude.send('and once more')
      await claude.result(2)
    },
  },
  'thinking-and-text': {
    script: (call) =>
      call.rounds.length === 0
        ? {
            content: [
              { type: 'thinking', thinking: 'What would be best?' },
              { type: 'text', text: 'I look first.' },
              bash('ls'),
            ],
          }
        : say('Nothing there: \u001b[31mred\u001b[0m, \u202eleft\u202c and <b>bold</b>.'),
  },
  'model-error': {
    script: () => ({ content: [], error: { status: 400, type: 'invalid_request_error', message: 'Not like this.' } }),
  },
  compacted: {
    script: (call) =>
      JSON.stringify(call.messages.at(-1)).includes('detailed summary')
        ? say('<summary>Somebody touched a.</summary>')
        : steps([bash('touch a')])(call),
    answer: async (seen) => allow(seen),
    play: async (claude) => {
      await claude.result()
      claude.send('/compact')
      await claude.result(2)
      claude.send('go on')
      await claude.result(3)
    },
  },
  resumed: {
    script: steps([bash('touch a')], 'first'),
    answer: held(allow),
    resumed: { script: turns(steps([]), steps([bash('touch b')], 'second')), prompt: 'go on', answer: held(allow) },
  },
  'killed-and-resumed': {
    script: steps([bash('touch a')]),
    answer: never,
    play: async (claude) => {
      await claude.until(() => claude.asks[0])
      await pause(HELD_MS)
      claude.child().kill('SIGKILL')
      await claude.ended
    },
    resumed: { script: () => say('I am back.'), prompt: 'are you there?' },
  },
}
