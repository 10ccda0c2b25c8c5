import { answersByText } from '@holdpoint/core/ask-machine'
import { unanswerable } from '@holdpoint/core/unanswerable'
import { Question } from '@holdpoint/schema/ask'
import { z } from 'zod'
import { type AnsweredEntry, givenAnswers } from './interactive-tool.ts'
import { shortText } from './short-text.ts'

const LenientQuestions = z.array(z.object(Question.shape)).min(1).max(8)

/** Claude Code's own questions. Answers go back by the question's exact text, which is how it reads them. */
export const askUserQuestion: AnsweredEntry<'question'> = {
  name: 'ask-user-question',
  kind: 'question',
  // Questions of a form that is not known can only be allowed or denied.
  matches: (name, input) => name === 'AskUserQuestion' && LenientQuestions.safeParse(input.questions).success,
  toAsk({ input }) {
    const questions = LenientQuestions.parse(input.questions)
    const refusal = unanswerable(questions)
    if (refusal !== undefined) return { refusal }
    const title = shortText(questions.map((entry) => entry.header ?? entry.question).join(' · '))
    return { title: `Question: ${title}`, questions }
  },
  fromOutcome: (ask, outcome) => ({ ...ask.input, answers: answersByText(ask, givenAnswers(outcome)) }),
}
