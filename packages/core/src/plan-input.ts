import type { Ask, ToolInput } from '@holdpoint/schema/ask'

/** The field in which `planInput` shows the text of a plan. */
export function planField({ tool, plan }: Pick<Ask, 'tool' | 'plan'>): string {
  const input = tool?.input ?? {}
  // The agent may keep its plan in a file and out of its input, or have changed it there: what the file holds is handed on.
  if (tool?.name === 'ExitPlanMode') return 'plan'
  let field = 'plan'
  // Another tool's own field of that name is part of what runs: it is not covered.
  while (Object.hasOwn(input, field) && input[field] !== plan?.text) field = `${field}_text`
  return field
}

/** The input of a plan's call with the plan's text in it, for protocols that show nothing but an input. */
export function planInput(ask: Pick<Ask, 'tool' | 'plan'>): ToolInput {
  return { ...ask.tool?.input, [planField(ask)]: ask.plan?.text ?? '' }
}
