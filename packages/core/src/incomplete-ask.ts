import type { AskKind, AskRequest } from '@holdpoint/schema/ask'
import { unanswerable } from './unanswerable.ts'

type Parts = Pick<AskRequest, 'questions' | 'plan' | 'form'>

/** Why no person could be shown this ask, or answer it; undefined where they can. */
export function incompleteAsk(request: Parts & { readonly kind: AskKind }): string | undefined {
  return MISSING[request.kind](request) ?? unanswerable(request.questions ?? [])
}

const MISSING: Record<AskKind, (parts: Parts) => string | undefined> = {
  approval: () => undefined,
  question: ({ questions = [] }) => (questions.length > 0 ? undefined : 'An ask of kind "question" needs questions.'),
  plan: ({ plan }) => (plan ? undefined : 'An ask of kind "plan" needs a plan.'),
  form: ({ form }) => (form ? undefined : 'An ask of kind "form" needs a form.'),
}
