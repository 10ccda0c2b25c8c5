import type { Ask } from '@holdpoint/schema/ask'
import type { CallFacts } from '@holdpoint/schema/call-facts'
import type { Display } from '@holdpoint/schema/display'

export function callFactsOf(ask: Ask): CallFacts {
  const { context, files, filesUnknown, replaces, appeal } = ask
  const { cwd } = context
  const display = ask.display ?? (ask.kind === 'plan' && !ask.tool ? PLAN : undefined)
  const raiser = raiserOf(ask)
  return {
    ...(display && { display }),
    ...(cwd !== undefined && { cwd }),
    ...(files && files.length > 0 && { files }),
    ...(filesUnknown !== undefined && { filesUnknown }),
    ...(replaces !== undefined && { replaces }),
    ...(appeal && { appeal }),
    ...(raiser !== undefined && { raiser }),
  }
}

/** A plan of no tool is shown in the field of an input that has nothing else. */
const PLAN: Display = { verb: 'Go on with the plan', icon: 'plan', shownIn: { plan: 'plan' } }

/** Where the file that a call edits really is, if that is not where the call says. */
export function realPathOf(call: Pick<CallFacts, 'files'> & Pick<Ask, 'context'>): string | undefined {
  const { files = [], context } = call
  return files.find(({ path, use }) => use === 'edits' && path !== context.filePath)?.path
}

/** The program that asks. Of an ask that was recorded without the name of its credential, the credential's id. */
export function raiserOf({ raiser, raisedBy }: Pick<Ask, 'raiser' | 'raisedBy'>): string | undefined {
  return raiser ?? raisedBy
}
