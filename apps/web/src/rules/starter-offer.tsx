import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Chip } from '@holdpoint/react/ui/chip'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import { ChevronDown } from 'lucide-react'
import { useIsOwner } from '../account/me.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { useCommand } from '../parts/use-command.ts'
import { count } from '../text/count.ts'
import { OwnTests } from './own-tests.tsx'
import { EFFECTS } from './rule-words.ts'

interface StarterOfferProps {
  readonly offered: PolicyState['starter']
  /** There are no rules yet: say what rules are good for. */
  readonly isFirst: boolean
  onAdded(): void
}

/** The starter set, to look through before it is taken. */
export function StarterOffer({ offered, isFirst, onAdded }: StarterOfferProps) {
  const client = useClient()
  const isOwner = useIsOwner()
  const { run, busy, failure } = useCommand()
  return (
    <section className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
      <h2 className="font-semibold">{isFirst ? 'Start with rules that are known to be safe' : 'Starter set'}</h2>
      <p className="mt-1 text-sm text-quiet">
        {isFirst
          ? 'These rules allow commands that only read inside the project. They always ask before a command that connects to other machines or cannot be undone. They hold in every mode. Each rule has its own tests, and you can change or remove it later.'
          : 'Rules that you do not have yet. They allow commands that only read, and ask before what connects to other machines or cannot be undone. They hold everywhere.'}
      </p>
      <details className="group/offer mt-3">
        <summary className="flex min-h-11 cursor-pointer list-none items-center gap-1.5 rounded-lg text-sm font-medium focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9 [&::-webkit-details-marker]:hidden">
          <ChevronDown
            aria-hidden
            className="size-4 text-faint transition-transform group-open/offer:rotate-180 motion-reduce:transition-none"
          />
          <span className="group-open/offer:hidden">Show</span>
          <span className="hidden group-open/offer:inline">Hide</span>{' '}
          {offered.length === 1 ? 'it' : `all ${offered.length}`}
        </summary>
        <ul className="mt-1 flex max-h-96 flex-col divide-y divide-line overflow-y-auto rounded-lg border border-line">
          {offered.map(({ effect, pattern, match, notMatch, why }) => (
            <li key={`${effect} ${pattern}`} className="flex items-start gap-3 px-3 py-2">
              <div className="w-12 shrink-0">
                <Chip tone={EFFECTS[effect].tone}>{EFFECTS[effect].label}</Chip>
              </div>
              <div className="min-w-0 flex-1">
                <p className="font-mono text-[13px] wrap-anywhere">
                  <VisibleText text={pattern} code />
                </p>
                {why !== undefined && <p className="text-xs text-quiet">{why}</p>}
                <OwnTests match={match} notMatch={notMatch} />
              </div>
            </li>
          ))}
        </ul>
      </details>
      {isOwner && (
        <div className="mt-3">
          <Button
            variant={isFirst ? 'primary' : 'plain'}
            busy={busy}
            onClick={() => void run(client.policy.addStarter()).then((done) => done && onAdded())}
          >
            Add {offered.length === 1 ? 'this rule' : `these ${count(offered.length, 'rule')}`}
          </Button>
        </div>
      )}
      <FailureNotice why={failure} className="mt-3" />
    </section>
  )
}
