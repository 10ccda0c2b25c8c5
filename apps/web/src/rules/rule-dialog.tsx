import { DryRun } from '@holdpoint/react/cards/dry-run'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { useNowAs } from '@holdpoint/react/time/now'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { useState } from 'react'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Notice } from '../parts/notice.tsx'
import { settle } from '../parts/use-remote.ts'
import { draftOf, newDraft, type RuleDraft, ruleOf } from './rule-draft.ts'
import { RuleFields } from './rule-fields.tsx'
import { TryIt } from './try-it.tsx'
import { useReply } from './use-reply.ts'

interface RuleDialogProps {
  /** The rule as it was when somebody began to edit it. Left out: a new one is made. */
  readonly rule?: PolicyRule
  /** What a new one begins with. */
  readonly start?: NewRule | undefined
  /** As it is by now; left out where it is gone. */
  readonly newest?: PolicyRule | undefined
  /** A folder to begin with. */
  readonly folder: string
  /** A pattern that shows how one is written. */
  readonly example: string | undefined
  onClose(): void
  onSaved(): void
  /** Somebody else was first. */
  onStale(): void
}

/** A rule is written, checked by the gateway as it is typed, tried, and saved. */
export function RuleDialog({
  rule,
  start = rule,
  newest,
  folder,
  example,
  onClose,
  onSaved,
  onStale,
}: RuleDialogProps) {
  const client = useClient()
  /** The revision that is edited: of two who edit the same one, the second is told (T33). */
  const [base, setBase] = useState(rule)
  const [draft, setDraft] = useState<RuleDraft>(() => (start ? draftOf(start, folder) : newDraft(folder)))
  const [problem, setProblem] = useState<string>()
  /** What was found to be a rule, or not. */
  const [checked, setChecked] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  // The end of a rule counts from when it is saved; for checks the minute is enough.
  const minute = useNowAs((now) => Math.floor(now / 60_000))
  const made = ruleOf(draft, (minute + 1) * 60_000)
  const wanted = made.pattern === '' ? undefined : JSON.stringify(made)
  useReply(
    wanted,
    () => client.policy.check({ rule: made, ...(base && { id: base.id }) }),
    (reply) => {
      setProblem(reply.ok ? reply.value.problem : reply.message)
      setChecked(wanted)
    },
  )
  const isGone = rule !== undefined && newest === undefined
  const hasChanged = base !== undefined && newest !== undefined && newest.revision !== base.revision

  async function save() {
    setBusy(true)
    setFailure(undefined)
    const given = ruleOf(draft, Date.now())
    const saved = await settle(
      base ? client.policy.change(base.id, { revision: base.revision, rule: given }) : client.policy.add(given),
    )
    setBusy(false)
    if (saved.ok) onSaved()
    else if (saved.code === 'changed') onStale()
    else setFailure(saved.message)
  }

  return (
    <Dialog
      open
      firm
      onClose={onClose}
      title={rule ? 'Edit rule' : 'Add a rule'}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={isBusy}
            off={made.pattern === '' || problem !== undefined || hasChanged || isGone}
            onClick={() => void save()}
          >
            {rule ? 'Save' : 'Add the rule'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {hasChanged && (
          <Changed
            newest={newest}
            onTake={() => {
              setBase(newest)
              setDraft(draftOf(newest, folder))
            }}
            onKeep={() => setBase(newest)}
          />
        )}
        {isGone && (
          <Notice tone="wait" role="alert">
            Somebody else has removed this rule.
          </Notice>
        )}
        <RuleFields
          draft={draft}
          problem={made.pattern === '' ? undefined : problem}
          example={example}
          maySession={draft.from?.scope.kind === 'session'}
          until={draft.from?.until}
          tried={
            <DryRun
              rule={wanted === undefined || problem !== undefined ? undefined : made}
              id={base?.id}
              isChecked={checked === wanted}
              dryRun={client.policy.dryRun}
            />
          }
          onChange={(changes) => setDraft((before) => ({ ...before, ...changes }))}
        />
        <TryIt folder={folder} draft={{ rule: made, id: base?.id }} />
        <FailureNotice why={failure} />
      </div>
    </Dialog>
  )
}

interface ChangedProps {
  readonly newest: PolicyRule
  onTake(): void
  onKeep(): void
}

function Changed({ newest, onTake, onKeep }: ChangedProps) {
  return (
    <Notice
      tone="wait"
      role="alert"
      action={
        <div className="flex flex-wrap gap-2">
          <Button onClick={onTake}>Use their version</Button>
          <Button onClick={onKeep}>Keep my version</Button>
        </div>
      }
    >
      {newest.by ? <VisibleText text={newest.by.name} /> : 'Somebody else'} has changed this rule in the meantime. It is
      now:
      <span className="mt-1 block font-mono text-xs text-ink wrap-anywhere">
        {newest.effect} <VisibleText text={newest.pattern} code />
      </span>
    </Notice>
  )
}
