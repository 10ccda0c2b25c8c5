import { render } from '@holdpoint/core/text/visible-text'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Chip } from '@holdpoint/react/ui/chip'
import type { SuggestedRule } from '@holdpoint/schema/endpoints/policy'
import { useCallback, useState } from 'react'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { EFFECTS, scopeWords } from './rule-words.ts'

/** Those that save the most asks come first. */
const SHOWN = 5

/** Rules for what people have allowed again and again. Each is looked at in the editor before it is made. */
export function Suggestions({ onAdd }: { onAdd: (rule: SuggestedRule['rule']) => void }) {
  const client = useClient()
  const changes = useGateway((state) => state.ruleChanges)
  const { remote, again } = useRemote(
    useCallback(() => {
      // A rule that was made or removed makes others of them.
      void changes
      return client.policy.suggestions()
    }, [client, changes]),
  )
  return (
    <section aria-label="Suggestions" className="rounded-xl border border-line bg-card shadow-card">
      <div className="p-4 sm:p-5">
        <h2 className="font-semibold">Suggestions</h2>
        <p className="mt-1 text-sm text-quiet">
          Rules for what was allowed at least five times in a project and never denied.
        </p>
        {remote.state !== 'ready' && (
          <div className="mt-3">
            <RemoteView remote={remote} again={again}>
              {() => null}
            </RemoteView>
          </div>
        )}
        {remote.state === 'ready' && remote.value.length === 0 && (
          <p className="mt-1 text-sm text-quiet">There is nothing to suggest now.</p>
        )}
      </div>
      {remote.state === 'ready' && remote.value.length > 0 && <List suggested={remote.value} onAdd={onAdd} />}
    </section>
  )
}

function List({
  suggested,
  onAdd,
}: {
  suggested: readonly SuggestedRule[]
  onAdd: (rule: SuggestedRule['rule']) => void
}) {
  const [isAll, setAll] = useState(false)
  const shown = isAll ? suggested : suggested.slice(0, SHOWN)
  return (
    <>
      <ul className="divide-y divide-line border-t border-line">
        {shown.map(({ rule, saved }) => (
          <li key={JSON.stringify(rule)} className="flex items-start gap-3 px-4 py-2.5 sm:px-5">
            <div className="w-12 shrink-0 pt-px">
              <Chip tone={EFFECTS[rule.effect].tone}>{EFFECTS[rule.effect].label}</Chip>
            </div>
            <div className="min-w-0 flex-1">
              <p className="font-mono text-[13px] wrap-anywhere">
                <VisibleText text={rule.pattern} code />
              </p>
              <p className="text-xs text-quiet wrap-anywhere">
                would have saved {saved.toLocaleString('en')} asks · none denied ·{' '}
                <VisibleText text={scopeWords(rule.scope)} />
              </p>
            </div>
            <Button aria-label={`Add ${render(rule.pattern)}…`} onClick={() => onAdd(rule)}>
              Add…
            </Button>
          </li>
        ))}
      </ul>
      {shown.length < suggested.length && (
        <div className="border-t border-line p-2">
          <Button variant="quiet" onClick={() => setAll(true)}>
            Show all {suggested.length}
          </Button>
        </div>
      )}
    </>
  )
}
