import type { AnsweredEntry } from '../interactive-tool.ts'
import { textField } from '../text-field.ts'

/** Leaving plan mode: the person allows the plan, or their own version of it. */
export const exitPlanMode: AnsweredEntry<'plan'> = {
  name: 'exit-plan-mode',
  kind: 'plan',
  matches: (name) => name === 'ExitPlanMode',
  toAsk: ({ input }) => ({
    title: 'Plan',
    plan: {
      text: typeof input.plan === 'string' ? input.plan : '',
      ...textField('filePath', input.planFilePath),
    },
  }),
  fromOutcome: ({ input }, { answer }) => (typeof answer?.plan === 'string' ? { ...input, plan: answer.plan } : input),
}
