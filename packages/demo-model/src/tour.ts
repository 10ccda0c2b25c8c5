import { join } from 'node:path'
import { type Block, type ModelCall, type Reply, type Round, type Script, type ToolUseBlock, use } from './script.ts'
import { edited, goodbye, helperTasks, plan, questions, welcome, written } from './tour-words.ts'

/** A stage either wants something said and done now, or has been played and leaves a remark for the next one. */
type Played = { readonly reply: readonly Block[] } | { readonly used: number; readonly remark: string }
type Stage = (rounds: readonly Round[], call: ModelCall) => Played

const stages: readonly Stage[] = [command, file, question, planning, helpers]

/**
 * The tour for a newcomer: every kind of ask once, in the session's own folder, with harmless calls only. Takes a no
 * for an answer anywhere and goes on. A message that says "again" starts it over; any other goes on where it was.
 */
export function tour({ wordDelayMs }: { readonly wordDelayMs: number }): Script {
  return (call): Reply => ({
    content: call.subagent ? helper(call) : next(call),
    ...(wordDelayMs > 0 && { chunkDelayMs: wordDelayMs }),
  })
}

function next(call: ModelCall): readonly Block[] {
  const start = Math.max(
    0,
    call.turns.findLastIndex((turn) => wantsAgain(turn.text)),
  )
  let rounds = call.turns.slice(start).flatMap((turn) => turn.rounds)
  let remark = ''
  for (const stage of stages) {
    const played = stage(rounds, call)
    // Once: what became of the stage before is told with the first words of the next.
    if ('reply' in played) return rounds.length === 0 ? withRemark(remark, played.reply) : played.reply
    rounds = rounds.slice(played.used)
    remark = played.remark
  }
  const over = start < call.turns.length - 1 && call.rounds.length === 0
  return over ? [text(goodbye.afterwards)] : withRemark(remark, [text(goodbye.end)])
}

function command([round]: readonly Round[]): Played {
  if (!round) {
    const call = use('Bash', { command: 'date > started.txt', description: 'Note when the tour began' })
    return { reply: [text(welcome.intro), call] }
  }
  return { used: 1, remark: happened(round) ? welcome.allowed : refused(round) }
}

function file([writing, editing, rewriting]: readonly Round[], { cwd = '' }: ModelCall): Played {
  const path = join(cwd, 'greet.js')
  if (!writing) {
    return { reply: [text(written.intro), use('Write', { file_path: path, content: written.content })] }
  }
  if (!happened(writing)) return { used: 1, remark: `${refused(writing)} ${written.skipped}` }
  if (!editing) {
    const { oldText, newText } = edited
    const call = use('Edit', { file_path: path, old_string: oldText, new_string: newText })
    return { reply: [text(edited.intro), call] }
  }
  if (!fitsNoMore(editing)) return { used: 2, remark: happened(editing) ? edited.allowed : refused(editing) }
  if (!rewriting) {
    return { reply: [text(edited.again), use('Write', { file_path: path, content: edited.content })] }
  }
  return { used: 3, remark: happened(rewriting) ? edited.allowed : refused(rewriting) }
}

/** The agent found nothing to replace, and asked nobody. */
function fitsNoMore(round: Round): boolean {
  return round.some(({ result }) => result?.isError && result.text.includes('String to replace not found'))
}

function question([round]: readonly Round[]): Played {
  if (!round) return { reply: [text(questions.intro), use('AskUserQuestion', { questions: questions.list })] }
  const result = round[0]?.result
  return { used: 1, remark: happened(round) && result ? questions.answered(result.text) : questions.skipped }
}

function planning(rounds: readonly Round[], { planFile }: ModelCall): Played {
  const write = (content: string): ToolUseBlock[] =>
    planFile === undefined ? [] : [use('Write', { file_path: planFile, content })]
  const [entering, writing, exiting, rewriting, exitingAgain] = rounds
  if (!entering) return { reply: [text(plan.intro), use('EnterPlanMode')] }
  if (!happened(entering) || planFile === undefined) return { used: 1, remark: refused(entering) }
  if (!writing) return { reply: [text(plan.writing), ...write(plan.content)] }
  if (!happened(writing)) return { used: 2, remark: plan.unwritten }
  if (!exiting) return { reply: [text(plan.showing), use('ExitPlanMode')] }
  if (happened(exiting)) return { used: 3, remark: plan.approved }
  if (!rewriting) return { reply: [text(plan.sentBack(told(exiting))), ...write(plan.changed(told(exiting)))] }
  if (!happened(rewriting)) return { used: 4, remark: plan.rejected }
  if (!exitingAgain) return { reply: [text(plan.showingAgain), use('ExitPlanMode')] }
  return { used: 5, remark: happened(exitingAgain) ? plan.approved : plan.rejected }
}

function helpers([round, ...rest]: readonly Round[], call: ModelCall): Played {
  // Plan mode is still on when the plan was turned down for good, or never shown; helpers could do nothing there.
  const left = planLeft(call)
  if (!round && left !== undefined) return { used: 0, remark: left }
  if (!round) {
    const agents = helperTasks.list.map(({ name, prompt }) =>
      use('Agent', { description: name, prompt, subagent_type: 'general-purpose', run_in_background: false }),
    )
    return { reply: [text(helperTasks.intro), ...agents] }
  }
  return { used: 1 + rest.length, remark: happened(round) ? helperTasks.finished : refused(round) }
}

function helper(call: ModelCall): readonly Block[] {
  const task = helperTasks.list.find(({ prompt }) => call.firstUserText.includes(prompt))
  if (!task) return [text(helperTasks.unknown)]
  const [round] = call.rounds
  if (!round) return [use('Bash', { command: task.command, description: task.name })]
  return [text(happened(round) ? helperTasks.done : refused(round))]
}

/** What became of a plan that was begun and not approved. */
function planLeft({ calls }: ModelCall): string | undefined {
  const begun = calls.findLastIndex(({ name, result }) => name === 'EnterPlanMode' && result?.isError === false)
  const shown = begun < 0 ? [] : calls.slice(begun).filter(({ name }) => name === 'ExitPlanMode')
  if (begun < 0 || shown.some(({ result }) => result?.isError === false)) return undefined
  return shown.length === 0 ? plan.unwritten : plan.rejected
}

function happened(round: Round): boolean {
  return round.some((call) => call.result && !call.result.isError)
}

/** The first line of what came back in place of a result. */
function told(round: Round): string {
  const line =
    round
      .find((call) => call.result)
      ?.result?.text.split('\n', 1)[0]
      ?.trim() ?? ''
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}

function refused(round: Round): string {
  return welcome.refused(told(round))
}

function wantsAgain(message: string): boolean {
  return /\b(again|once more|restart|start over|repeat)\b/i.test(message)
}

function withRemark(remark: string, blocks: readonly Block[]): readonly Block[] {
  if (remark === '') return blocks
  const [first, ...rest] = blocks
  return first?.type === 'text' ? [text(`${remark}\n\n${first.text}`), ...rest] : [text(remark), ...blocks]
}

function text(words: string): Block {
  return { type: 'text', text: words }
}
