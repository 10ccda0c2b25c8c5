import type { PolicyCalls } from '@holdpoint/client/gateway-client'
import type { DryRunResult, NewRule } from '@holdpoint/schema/endpoints/policy'
import type { RuleId } from '@holdpoint/schema/id'
import type { Effect } from '@holdpoint/schema/policy'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { VisibleText } from '../text/visible-text.tsx'
import { Age } from '../time/age.tsx'
import { useDryRun } from './use-dry-run.ts'

interface DryRunProps {
  /** The rule as it would be saved; left out while there is none. Its end, its tests and its reason do not count here. */
  readonly rule: NewRule | undefined
  /** The saved rule that it would replace. */
  readonly id?: RuleId | undefined
  /** Whether the gateway has found it to be a rule. */
  readonly isChecked: boolean
  readonly dryRun: PolicyCalls['dryRun']
}

/** What a rule would have done to past asks. It never stands in the way of saving the rule. */
export function DryRun({ rule, ...given }: DryRunProps) {
  const state = useDryRun({ rule: rule && counted(rule), ...given })
  if (!rule || state === undefined) return null
  return (
    <div role="status" className="rounded-lg border border-line bg-panel px-3 py-2.5 text-[13px]">
      {state === 'running' && <p className="text-quiet">Looking at past asks…</p>}
      {state === 'unknown' && (
        <p className="text-quiet">Past asks could not be checked. You can save the rule all the same.</p>
      )}
      {typeof state === 'object' && <Result effect={rule.effect} result={state} />}
    </div>
  )
}

function counted({ effect, agent, pattern, scope, pins }: NewRule): NewRule {
  return { effect, agent, pattern, scope, ...(pins && { pins }) }
}

const DONE: Readonly<Record<Effect, string>> = { allow: 'allowed', ask: 'asked about', deny: 'denied' }

function Result({ effect, result }: { effect: Effect; result: DryRunResult }) {
  const { days, asks, allowed, denied, deniedAsks } = result
  return (
    <div className="flex flex-col gap-1.5">
      <p>
        In the last {days} days this rule would have {DONE[effect]}{' '}
        <strong>{asks === 0 ? 'nothing' : asksOf(asks)}</strong>
        {asks > 0 && effect === 'allow' && denied === 0 && ', and none of them was denied by a person'}.
        {effect !== 'allow' && ' Calls that never asked are not counted.'}
      </p>
      {effect === 'deny' && allowed > 0 && <Warning>{some(allowed)} allowed by a person.</Warning>}
      {effect === 'allow' && denied > 0 && (
        <>
          <Warning>{some(denied)} denied by a person.</Warning>
          <Denied asks={deniedAsks} more={denied - deniedAsks.length} />
        </>
      )}
    </div>
  )
}

function asksOf(count: number): string {
  return count === 1 ? '1 ask' : `${count.toLocaleString('en')} asks`
}

function some(count: number): string {
  return count === 1 ? '1 of them was' : `${count.toLocaleString('en')} of them were`
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-1.5 font-medium text-deny">
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <span>{children}</span>
    </p>
  )
}

function Denied({ asks, more }: { asks: DryRunResult['deniedAsks']; more: number }) {
  return (
    <details>
      <summary className="inline-flex min-h-11 cursor-pointer items-center rounded underline decoration-line underline-offset-2 hover:decoration-current focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-6">
        Show what was denied
      </summary>
      <ul className="mt-1 flex flex-col gap-1">
        {asks.map(({ id, title, at }) => (
          <li key={id} className="wrap-anywhere">
            <VisibleText text={title} code className="font-mono text-xs" />{' '}
            <span className="text-xs text-quiet">
              <Age since={at} suffix=" ago" />
            </span>
          </li>
        ))}
        {more > 0 && <li className="text-quiet">and {more.toLocaleString('en')} more</li>}
      </ul>
    </details>
  )
}
