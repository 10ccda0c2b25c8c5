import { type ModelCall, type Reply, type ReplyError, type Script, say, type ToolUseBlock, use } from './script.ts'

/** One reply with tool calls: a call, several at once, or what the conversation so far leads to. */
export type Step = ToolUseBlock | readonly ToolUseBlock[] | ((call: ModelCall) => Reply)

/** Plays the steps one after another, whatever became of the one before, then says `end`. Starts anew on every message. */
export function steps(list: readonly Step[], end = 'done'): Script {
  return (call) => {
    const step = list[call.rounds.length]
    if (step === undefined) return say(end)
    return typeof step === 'function' ? step(call) : { content: 'name' in step ? [step] : step }
  }
}

/** One script for each message; the last goes on with those that follow. */
export function turns(first: Script, ...rest: readonly Script[]): Script {
  const scripts = [first, ...rest]
  return (call) => (scripts[call.turns.length - 1] ?? scripts.at(-1) ?? first)(call)
}

export interface Subtask {
  readonly prompt: string
  readonly steps: readonly Step[]
  readonly end?: string
}

/** Starts one subagent for each task, all in one reply, and plays the task's steps inside it. Prompts must differ. */
export function subagents(tasks: readonly Subtask[], { background = false } = {}): Script {
  const main = steps([
    tasks.map(({ prompt }) =>
      use('Agent', {
        description: 'a subtask',
        prompt,
        subagent_type: 'general-purpose',
        run_in_background: background,
      }),
    ),
  ])
  return (call) => {
    if (!call.subagent) return main(call)
    const task = tasks.find(({ prompt }) => call.firstUserText.includes(prompt))
    return task ? steps(task.steps, task.end)(call) : say('I know no such task.')
  }
}

/** Plan mode, from entering it to the approval of `text`. Works as part of `steps`. */
export function planSteps(text: string): readonly Step[] {
  return [use('EnterPlanMode'), (call) => writePlan(call, text), use('ExitPlanMode')]
}

/** Sent back with comments, the plan is changed and shown again, until it is approved. */
export function planUntilApproved(text: string): Script {
  return (call) => {
    const shown = call.rounds.filter((round) => round[0]?.name === 'ExitPlanMode')
    const verdict = shown.at(-1)?.[0]?.result
    if (call.rounds.length === 0) return { content: [use('EnterPlanMode')] }
    if (call.rounds.at(-1)?.[0]?.name === 'Write') return { content: [use('ExitPlanMode')] }
    if (!verdict) return writePlan(call, text)
    if (!verdict.isError) return say('The plan is approved.')
    return writePlan(call, `${text}\n\nChanged after this comment (${shown.length}):\n\n> ${verdict.text}\n`)
  }
}

function writePlan(call: ModelCall, text: string): Reply {
  if (call.planFile === undefined) return say('Nobody told me where to write the plan.')
  return { content: [use('Write', { file_path: call.planFile, content: text })] }
}

export interface Question {
  readonly question: string
  readonly header: string
  readonly multiSelect: boolean
  readonly options: readonly { readonly label: string; readonly description: string; readonly preview?: string }[]
}

export const singleQuestion: Question = {
  question: 'Which layout should the page have?',
  header: 'Layout',
  multiSelect: false,
  options: [
    {
      label: 'Two columns',
      description: 'A list beside the text',
      preview: '+------+---------+\n| list | text    |\n+------+---------+',
    },
    {
      label: 'One column',
      description: 'The text alone',
      preview: '+----------------+\n| text           |\n+----------------+',
    },
  ],
}

export const multiQuestion: Question = {
  question: 'Which parts should I test?',
  header: 'Tests',
  multiSelect: true,
  options: [
    { label: 'Store', description: 'What is written is there' },
    { label: 'Server', description: 'What is asked is answered' },
    { label: 'Page', description: 'What is shown is right' },
  ],
}

export function ask(...questions: readonly Question[]): ToolUseBlock {
  return use('AskUserQuestion', { questions })
}

/** The tools of `forms-server.ts`, registered under the name `forms`. */
export function fillForm(): ToolUseBlock {
  return use('mcp__forms__fill')
}

export function openLink(): ToolUseBlock {
  return use('mcp__forms__link')
}

/** Tries `first`; refused, it repeats what it was told and does `instead`. */
export function reactToDenial(first: ToolUseBlock, instead: ToolUseBlock): Script {
  return (call) => {
    const [attempt, fallback] = call.rounds
    if (!attempt) return { content: [first] }
    const refusal = attempt[0]?.result
    if (!refusal?.isError) return say('done')
    if (fallback) return say('I did something else instead.')
    return { content: [{ type: 'text', text: `I was told: ${refusal.text}` }, instead] }
  }
}

export const errors = {
  badKey: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  broken: { status: 500, type: 'api_error', message: 'Internal server error' },
} as const satisfies Record<string, ReplyError>

export function failWith(error: ReplyError): Script {
  return () => ({ content: [], error })
}

/** Says the beginning of something and then nothing more, on an open connection. */
export function hangMidStream(text: string): Script {
  return () => ({ content: [{ type: 'text', text }], hang: true })
}

/** Says the beginning of something; then the connection breaks. */
export function cutMidStream(text: string): Script {
  return () => ({ content: [{ type: 'text', text }], cut: true })
}
