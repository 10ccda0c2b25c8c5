import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { useNowAs } from '@holdpoint/react/time/now'
import type { PolicyRule, RuleUse } from '@holdpoint/schema/policy'
import type { ReactNode } from 'react'
import { untilWords } from './rule-words.ts'

/** Who made a rule and when, how long it holds, for which agent, and whether anybody needs it. */
export function RuleFacts({ rule, use }: { rule: PolicyRule; use: RuleUse | undefined }) {
  const { by, at, until, agent } = rule
  const facts: [string, ReactNode][] = [
    [
      'use',
      use ? (
        <>
          used {use.count === 1 ? 'once' : `${use.count.toLocaleString()} times`}, last{' '}
          <Age since={use.lastAt} suffix=" ago" />
        </>
      ) : (
        'not used yet'
      ),
    ],
    [
      'made',
      <>
        {by && (
          <>
            by <VisibleText text={by.name} />,{' '}
          </>
        )}
        <Age since={at} suffix=" ago" />
      </>,
    ],
    ...(until === undefined ? [] : [['until', <Until key="until" until={until} />] as [string, ReactNode]]),
    ...(agent === '*' ? [] : [['agent', <VisibleText key="agent" text={`only ${agent}`} />] as [string, ReactNode]]),
  ]
  return (
    <p className="text-xs text-quiet">
      {facts.map(([key, fact], place) => (
        <span key={key}>
          {place > 0 && <span aria-hidden> · </span>}
          {fact}
        </span>
      ))}
    </p>
  )
}

function Until({ until }: { until: number }) {
  const words = useNowAs((now) => untilWords(until, now))
  return (
    <time dateTime={new Date(until).toISOString()} className={words === 'ended' ? 'font-medium text-wait' : ''}>
      {words}
    </time>
  )
}
