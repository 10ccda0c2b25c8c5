import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Button } from '@holdpoint/react/ui/button'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
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
import { OwnPolicyFile, RepositoryFile } from './policy-files.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { RuleGroupView } from './rule-group.tsx'
import { ruleGroups } from './rule-groups.ts'
import { StarterOffer } from './starter-offer.tsx'
import { StarterRemoval } from './starter-removal.tsx'
import { Suggestions } from './suggestions.tsx'
import { TryIt } from './try-it.tsx'
import { UnreadableRules } from './unreadable-rules.tsx'
import { type Rules, useRules } from './use-rules.ts'

/** The rules of the policy and what sessions remember: what runs by itself, what asks, what never runs. */
export function RulesPage() {
  const isOwner = useIsOwner()
  const folders = useGateway((state) => [...new Set([...state.sessions.values()].map(({ cwd }) => cwd))].toReversed())
  /** The repository whose own file is shown. */
  const [place = folders[0], setPlace] = useState<string>()
  const { remote, again } = useRules(place)
  const [edited, setEdited] = useState<Edited>()
  const [ending, setEnding] = useState<PolicyRule>()
  const [hasNewSet, setNewSet] = useState(false)
  const folder = folders[0] ?? '/'
  const policy = remote.state === 'ready' ? remote.value.policy : undefined
  return (
    <Page
      title="Rules"
      intro="What runs without asking, what always asks, and what never runs, in every mode. If several rules match, the strictest one counts."
      aside={
        isOwner && (
          <Button variant="primary" icon={Plus} className="ml-auto" onClick={() => setEdited({})}>
            Add a rule
          </Button>
        )
      }
    >
      <RemoteView remote={remote} again={again}>
        {(rules) => (
          <RuleList
            rules={rules}
            folders={folders}
            place={place}
            again={again}
            onPlace={setPlace}
            onEdit={setEdited}
            onEnd={setEnding}
            hasNewSet={hasNewSet}
            onNewSet={setNewSet}
          />
        )}
      </RemoteView>
      {edited && (
        <RuleDialog
          {...edited}
          newest={policy?.rules.find(({ id }) => id === edited.rule?.id)}
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

/** A rule that is there, or what a new one begins with. */
interface Edited {
  readonly rule?: PolicyRule
  readonly start?: NewRule
}

interface RuleListProps {
  readonly rules: Rules
  /** The folders that sessions run in, the newest first. */
  readonly folders: readonly string[]
  readonly place: string | undefined
  again(): void
  onPlace(folder: string): void
  onEdit(edited: Edited): void
  onEnd(rule: PolicyRule): void
  /** The starter set was added on this page. */
  readonly hasNewSet: boolean
  onNewSet(isNew: boolean): void
}

function RuleList(props: RuleListProps) {
  const { rules, folders, place, again, onPlace, onEdit, onEnd, hasNewSet, onNewSet } = props
  const { policy, remembered } = rules
  const isOwner = useIsOwner()
  const [words, setWords] = useState('')
  const sessions = useGateway((state) => state.sessions)
  const named = new URLSearchParams(useSearch()).get('rule')
  const ids = new Set(named ? named.split(',') : [])
  const titleOf = (id: string) => [...sessions.values()].find((session) => session.id === id)?.title
  const wanted = { words, ids }
  const groups = ruleGroups(policy.rules, remembered, wanted, titleOf)
  const { file, otherFiles = [], repository } = policy
  const filed = [file, ...otherFiles.map((other) => other.file), repository].flatMap((each) => each?.rules ?? [])
  const isFiled = ruleGroups(filed, [], wanted, titleOf).length > 0
  const files = { wanted, warnings: policy.warnings }
  const isShown = (rules: readonly PolicyRule[] = []) => ids.size === 0 || rules.some(({ id }) => ids.has(id))
  const isEmpty = policy.rules.length + file.rules.length === 0
  const onAdded = () => {
    onNewSet(true)
    again()
  }
  const onRemoved = () => {
    onNewSet(false)
    again()
  }
  const removal = ids.size === 0 && (
    <StarterRemoval policy={policy} isNew={hasNewSet} onRemoved={onRemoved} onStale={again} />
  )
  return (
    <>
      <UnreadableRules ids={policy.unreadable} onRemoved={again} />
      {isEmpty && policy.starter.length > 0 && <StarterOffer offered={policy.starter} isFirst onAdded={onAdded} />}
      {hasNewSet && removal}
      {ids.size > 0 ? (
        <Notice action={<LinkButton href="/rules">Show all rules</LinkButton>}>
          {groups.length === 0 && !isFiled
            ? 'This rule does not exist any more.'
            : 'Only the rules that decided this call are shown.'}
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
          warnings={policy.warnings}
          onChanged={again}
          onEdit={(rule) => onEdit({ rule })}
          onEnd={onEnd}
        />
      ))}
      {groups.length === 0 && !isFiled && words !== '' && <p className="text-quiet">No rule matches this search.</p>}
      {isEmpty && remembered.length === 0 && (
        <p className="text-quiet">There are no rules. Add one here, or use “Allow and remember” on a card.</p>
      )}
      {isOwner && ids.size === 0 && <Suggestions onAdd={(start) => onEdit({ start })} />}
      {file.path !== '' && isShown(file.rules) && <OwnPolicyFile file={file} {...files} />}
      {otherFiles.map(
        (other) =>
          isShown(other.file.rules) && (
            <OwnPolicyFile key={other.machine.id} file={other.file} machine={other.machine.name} {...files} />
          ),
      )}
      {place !== undefined && isShown(repository?.rules) && (
        <RepositoryFile file={repository} folders={folders} folder={place} onFolder={onPlace} {...files} />
      )}
      <section className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
        <TryIt folder={folders[0] ?? '/'} policy={policy} />
      </section>
      {!isEmpty && policy.starter.length > 0 && (
        <StarterOffer offered={policy.starter} isFirst={false} onAdded={onAdded} />
      )}
      {!hasNewSet && removal}
      <p className="text-[13px] text-quiet">
        A deny rule cannot stop a malicious agent, because a command can be written in many ways. For protection, let
        everything ask and allow only what you know.
      </p>
    </>
  )
}
