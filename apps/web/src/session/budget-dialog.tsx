import { dollars } from '@holdpoint/core/budget'
import { tokensOf } from '@holdpoint/core/usage'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog, takesFocus } from '@holdpoint/react/ui/dialog'
import type { Session } from '@holdpoint/schema/session'
import { type FormEvent, useId, useState } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Field, INPUT } from '../parts/field.tsx'
import { useCommand } from '../parts/use-command.ts'
import { budgetFailure, budgetOf } from '../usage/budget-field.tsx'
import { contextPercent, costWords, shortCount } from '../usage/usage-words.ts'

/** What the session has used, and when a person is to be asked before it uses more. */
export function BudgetDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const client = useClient()
  const form = useId()
  const isOwner = useIsOwner()
  const { usage, context, budget } = session
  const [usd, setUsd] = useState(budget?.usd?.toString() ?? '')
  const [tokens, setTokens] = useState(budget?.tokens?.toString() ?? '')
  const { run, busy, failure } = useCommand()
  const limits = [
    ...(budget?.usd === undefined ? [] : [dollars(budget.usd)]),
    ...(budget?.tokens === undefined ? [] : [`${budget.tokens.toLocaleString('en')} tokens`]),
  ]
  const wrongUsd = budgetFailure(usd)
  const wrongTokens = budgetFailure(tokens, 'tokens')

  async function save(event: FormEvent) {
    event.preventDefault()
    if (wrongUsd || wrongTokens || busy) return
    if (await run(client.setBudget(session.id, budgetOf({ usd, tokens })))) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Usage and budget"
      footer={
        isOwner && (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" type="submit" form={form} busy={busy} off={!!(wrongUsd || wrongTokens)}>
              Save the budget
            </Button>
          </>
        )
      }
    >
      <dl className="mb-5 grid grid-cols-[6.5rem_1fr] gap-x-3 gap-y-2 text-sm tabular-nums">
        <dt className="text-quiet">Cost</dt>
        <dd>{usage ? costWords(usage.total) : 'nothing reported yet'}</dd>
        {usage && (
          <>
            <dt className="text-quiet">Tokens</dt>
            <dd>
              {shortCount(tokensOf(usage.total))}
              <span className="block text-xs text-quiet">
                {usage.total.inputTokens.toLocaleString('en')} in, {usage.total.outputTokens.toLocaleString('en')} out,{' '}
                {usage.total.cacheReadTokens.toLocaleString('en')} read from the cache,{' '}
                {usage.total.cacheWriteTokens.toLocaleString('en')} written to it
              </span>
            </dd>
          </>
        )}
        {context && (
          <>
            <dt className="text-quiet">Context</dt>
            <dd>
              {contextPercent(context)} % full
              <span className="block text-xs text-quiet">
                {context.tokens.toLocaleString('en')} of {context.window.toLocaleString('en')} tokens
              </span>
            </dd>
          </>
        )}
        {!isOwner && (
          <>
            <dt className="text-quiet">Budget</dt>
            <dd>{limits.length > 0 ? limits.join(', ') : 'no limit'}</dd>
          </>
        )}
      </dl>
      {isOwner && (
        <form id={form} onSubmit={(event) => void save(event)} className="flex flex-col gap-4">
          <Field label="Budget in US dollars" failure={wrongUsd} hint="Empty: no limit.">
            {(control) => (
              <input
                {...control}
                ref={takesFocus}
                inputMode="decimal"
                autoComplete="off"
                value={usd}
                onChange={(event) => setUsd(event.target.value)}
                className={INPUT}
              />
            )}
          </Field>
          <Field label="Budget in tokens" failure={wrongTokens} hint="Those of the cache count too. Empty: no limit.">
            {(control) => (
              <input
                {...control}
                inputMode="numeric"
                autoComplete="off"
                value={tokens}
                onChange={(event) => setTokens(event.target.value)}
                className={INPUT}
              />
            )}
          </Field>
        </form>
      )}
      <p className="mt-3 text-xs text-quiet">
        The cost is the agent’s own estimate. Beyond the budget every call asks, and messages wait until an owner raises
        it.
      </p>
      <FailureNotice why={failure} className="mt-4" />
    </Dialog>
  )
}
