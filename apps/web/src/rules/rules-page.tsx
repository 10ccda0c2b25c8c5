import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Button } from '@holdpoint/react/ui/button'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { EndRuleDialog } from './end-rule-dialog.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { RuleGroupView } from './rule-group.tsx'
import { ruleGroups } from './rule-groups.ts'
import { StarterOffer } from './starter-offer.tsx'
import { TryIt } from './try-it.tsx'
import { UnreadableRules } from './unreadable-rules.tsx'
import { type Rules, useRules } from './use-rules.ts'

/** The rules of the policy and what sessions remember: what runs by itself, what asks, what never runs. */
export function RulesPage() {
  const isOwner = useIsOwner()
  const { remote, again } = useRules()
  const [edited, setEdited] = useState<PolicyRule | 'new'>()
  const [ending, setEnding] = useState<PolicyRule>()
  const folder = useGateway((state) => [...state.sessions.values()].at(-1)?.cwd ?? '/')
  const policy = remote.state === 'ready' ? remote.value.policy : undefined
  return (
    <Page
      title="Rules"
      intro="What runs without asking, what always asks, and what never runs, in every mode. If several rules match, the strictest one counts."
      aside={
        isOwner && (
          <Button variant="primary" icon={Plus} className="ml-auto" onClick={() => setEdited('new')}>
            Add a rule
          </Button>
        )
      }
    >
      <RemoteView remote={remote} again={again}>
        {(rules) => <RuleList rules={rules} folder={folder} again={again} onEdit={setEdited} onEnd={setEnding} />}
      </RemoteView>
      {edited && (
        <RuleDialog
          {...(edited !== 'new' && { rule: edited, newest: policy?.rules.find(({ id }) => id === edited.id) })}
          folder={folder}
          example={[...(policy?.rules ?? []), ...(policy?.starter ?? [])][0]?.pattern}
          onStale={again}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            setEdited(undefined)
            again()
          }}
        />
      )}
      {ending && <EndRuleDialog id={ending.id} onClose={() => setEnding(undefined)} />}
    </Page>
  )
}

interface RuleListProps {
  readonly rules: Rules
  readonly folder: string
  again(): void
  onEdit(rule: PolicyRule): void
  onEnd(rule: PolicyRule): void
}

function RuleList({ rules: { policy, remembered }, folder, again, onEdit, onEnd }: RuleListProps) {
  const [words, setWords] = useState('')
  const sessions = useGateway((state) => state.sessions)
  const named = new URLSearchParams(useSearch()).get('rule')
  const ids = new Set(named ? named.split(',') : [])
  const titleOf = (id: string) => [...sessions.values()].find((session) => session.id === id)?.title
  const groups = ruleGroups(policy.rules, remembered, { words, ids }, titleOf)
  const isEmpty = policy.rules.length === 0
  const isInFile = policy.file.rules.some(({ id }) => ids.has(id))
  return (
    <>
      <UnreadableRules ids={policy.unreadable} onRemoved={again} />
      {isEmpty && policy.starter.length > 0 && <StarterOffer offered={policy.starter} isFirst onAdded={again} />}
      {ids.size > 0 ? (
        <Notice action={<LinkButton href="/rules">Show all rules</LinkButton>}>
          {groups.length > 0
            ? 'Only the rules that decided this call are shown.'
            : isInFile
              ? `The rule is in ${policy.file.path}.`
              : 'This rule does not exist any more.'}
        </Notice>
      ) : (
        (!isEmpty || remembered.length > 0) && (
          <SearchField words={words} onChange={setWords} label="Search rules" placeholder="Search rules" />
        )
      )}
      {groups.map((group) => (
        <RuleGroupView
          key={group.key}
          group={group}
          title={titleOf(group.place)}
          uses={policy.uses}
          onChanged={again}
          onEdit={onEdit}
          onEnd={onEnd}
        />
      ))}
      {groups.length === 0 && words !== '' && <p className="text-quiet">No rule matches this search.</p>}
      {isEmpty && remembered.length === 0 && (
        <p className="text-quiet">There are no rules. Add one here, or use “Allow and remember” on a card.</p>
      )}
      <section className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
        <TryIt folder={folder} />
      </section>
      {!isEmpty && policy.starter.length > 0 && (
        <StarterOffer offered={policy.starter} isFirst={false} onAdded={again} />
      )}
      <p className="text-[13px] text-quiet">
        A deny rule cannot stop a malicious agent, because a command can be written in many ways. For protection, let
        everything ask and allow only what you know.
      </p>
    </>
  )
}
