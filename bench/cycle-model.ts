import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'

export interface CycleModel extends AsyncDisposable {
  readonly url: string
  /**
   * Times from one call of the model to the next, for the conversation that `begin` starts: the agent asked, was
   * allowed, ran the command and came back.
   */
  record(begin: () => Promise<void>): Promise<readonly number[]>
}

const CONVERSATION_LIMIT_MS = 60_000

/** A model that lets the agent touch one file after another. One conversation at a time. */
export async function startCycleModel(cycles: number): Promise<CycleModel> {
  const script = steps(Array.from({ length: cycles }, (_, number) => use('Bash', { command: `touch f${number}.txt` })))
  let calls: number[] = []
  let finish = () => {}
  const model: DemoModel = await startDemoModel({
    script: (call) => {
      calls.push(performance.now())
      if (call.rounds.length === cycles) finish()
      return script(call)
    },
  })
  return {
    url: model.url,
    async record(begin) {
      calls = []
      const finished = new Promise<void>((resolve, reject) => {
        finish = resolve
        setTimeout(() => reject(new Error('the agent did not come to an end')), CONVERSATION_LIMIT_MS).unref()
      })
      await begin()
      await finished
      return calls.slice(1).map((at, index) => at - (calls[index] ?? at))
    },
    [Symbol.asyncDispose]: () => model.close(),
  }
}
