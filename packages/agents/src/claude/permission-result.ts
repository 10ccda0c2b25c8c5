import type { ElicitationResult, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { answersByText } from '@holdpoint/core/ask-machine'
import type { QuestionAnswer } from '@holdpoint/schema/answer'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { z } from 'zod'

type Input = Record<string, unknown>

/** What Claude Code is told. Anything but a recorded yes is a no. */
export function permissionResult(
  request: AskRequest,
  outcome: Outcome,
  onTimeout: 'deny' | 'interrupt',
): PermissionResult {
  const input = request.tool?.input ?? {}
  const answer = outcome.answer ?? {}
  switch (outcome.kind) {
    case 'allowed':
      return { behavior: 'allow', updatedInput: allowedInput(request, input, answer) }
    case 'answered': {
      const { answers } = answer as Pick<z.infer<typeof QuestionAnswer>, 'answers'>
      return { behavior: 'allow', updatedInput: { ...input, answers: answersByText(request as Ask, answers) } }
    }
    case 'denied':
      return deny(denialText(request, answer), answer.interrupt === true)
    case 'expired':
      return deny('Nobody answered in time. This is not a refusal: nobody was there.', onTimeout === 'interrupt')
    case 'withdrawn':
      return deny('This ask was withdrawn before anybody answered it.', true)
    default:
      return outcome.kind satisfies never
  }
}

export function elicitationResult(outcome: Outcome): ElicitationResult {
  if (outcome.kind === 'answered')
    return { action: 'accept', content: (outcome.answer?.content ?? {}) as ElicitationContent }
  return { action: outcome.kind === 'denied' && outcome.answer?.kind === 'decline' ? 'decline' : 'cancel' }
}
type ElicitationContent = NonNullable<ElicitationResult['content']>

function allowedInput(request: AskRequest, input: Input, answer: Input): Input {
  if (request.kind === 'plan') return typeof answer.plan === 'string' ? { ...input, plan: answer.plan } : input
  return (answer.updatedInput as Input | undefined) ?? input
}

function denialText(request: AskRequest, answer: Input): string {
  if (typeof answer.message === 'string' && answer.message !== '') return answer.message
  return request.kind === 'question' ? 'The user chose not to answer this.' : 'The user denied this.'
}

export function deny(message: string, interrupt = false): PermissionResult {
  return { behavior: 'deny', message, ...(interrupt && { interrupt }) }
}
