import type { AskContent, AskKind, AskRequest } from '@holdpoint/schema/ask'
import { unanswerable } from './unanswerable.ts'

type Parts = AskContent & Pick<AskRequest, 'tool'>

/** Why no person could be shown this ask, or answer it; undefined where they can. */
export function incompleteAsk(request: Parts & { readonly kind: AskKind }): string | undefined {
  return MISSING[request.kind](request) ?? unanswerable(request.questions ?? [])
}

const MISSING: Record<AskKind, (parts: Parts) => string | undefined> = {
  // The tool and its input are what every card, terminal and dialect shows of it, and what the digest binds (T27).
  approval: ({ tool }) =>
    tool ? undefined : 'An ask of kind "approval" needs a tool, with what it does in its input.',
  question: ({ questions = [] }) => (questions.length > 0 ? undefined : 'An ask of kind "question" needs questions.'),
  plan: ({ plan }) => (plan ? undefined : 'An ask of kind "plan" needs a plan.'),
  form: ({ form }) => (form ? undefined : 'An ask of kind "form" needs a form.'),
}
