import type { AnsweredEntry } from './interactive-tool.ts'
import { readTextFile } from './read-text-file.ts'
import { textField } from './text-field.ts'

/** Leaving plan mode: the person allows the plan, or their own version of it. */
export const exitPlanMode: AnsweredEntry<'plan'> = {
  name: 'exit-plan-mode',
  kind: 'plan',
  matches: (name) => name === 'ExitPlanMode',
  async toAsk({ input }) {
    const path = textField('filePath', input.planFilePath)
    const file = path.filePath === undefined ? undefined : await readTextFile(path.filePath)
    const given = typeof input.plan === 'string' ? input.plan : ''
    // An unedited yes hands on what the file holds, whatever the input says: so that is what is shown.
    const text = file && 'text' in file && file.exists && file.text.trim() !== given.trim() ? file.text : given
    return { title: 'Plan', plan: { text, ...path } }
  },
  fromOutcome: ({ input }, { answer }) => (typeof answer?.plan === 'string' ? { ...input, plan: answer.plan } : input),
}
