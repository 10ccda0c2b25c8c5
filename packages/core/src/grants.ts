import type { AskRequest } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Actor } from '@holdpoint/schema/outcome'
import type { WantedCall } from './driver.ts'
import type { SessionView } from './session-view.ts'
import type { AskRecord, Store } from './store.ts'

/** A person's allow of an appeal, for one identical call. */
export interface Grant {
  readonly appeal: AskId
  readonly by?: Actor
}

type AskedCall = Pick<AskRequest, 'tool' | 'context' | 'files' | 'filesUnknown'>

/** Whether a person has said yes to this call. The files that it acts on are looked at when it is recorded. */
export async function isGranted(store: Store, view: SessionView | undefined, call: WantedCall): Promise<boolean> {
  const text = callText(call)
  return (await granting(store, view, ({ ask }) => callText(asWanted(ask)) === text)) !== undefined
}

/** The yes that covers what is asked here: the same call, in the same folder, on files with the same content. */
export async function grantFor(
  store: Store,
  view: SessionView | undefined,
  request: AskedCall,
): Promise<Grant | undefined> {
  const text = askedText(request)
  const found = await granting(store, view, ({ ask }) => askedText(ask) === text)
  return found && { appeal: found.ask.id, ...(found.outcome?.by && { by: found.outcome.by }) }
}

async function granting(store: Store, view: SessionView | undefined, covers: (record: AskRecord) => boolean) {
  for (const id of view?.grants ?? []) {
    const record = await store.ask(id)
    if (record && covers(record)) return record
  }
  return undefined
}

function asWanted({ tool, context }: AskedCall): WantedCall {
  return { tool: { name: tool?.name ?? '', input: tool?.input ?? {} }, cwd: context.cwd }
}

function callText({ tool, cwd }: WantedCall): string {
  return canonicalJson({ name: tool.name, input: tool.input, cwd })
}

function askedText(call: AskedCall): string {
  const { tool, files, filesUnknown } = call
  return canonicalJson({ call: callText(asWanted(call)), server: tool?.mcpServer, files, filesUnknown })
}
