import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { useNowAs } from '@holdpoint/react/time/now'
import { Button } from '@holdpoint/react/ui/button'
import type { LetThrough } from '@holdpoint/schema/endpoints/history'
import { ChevronDown } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useRemote } from '../parts/use-remote.ts'
import { RuleActions } from '../rules/rule-actions.tsx'
import { useRules } from '../rules/use-rules.ts'
import { count } from '../text/count.ts'
import { lookedAt, setLookedAt } from './looked-at.ts'

/** A quiet line about what rules let through since a person last looked. Nothing where that is nothing. */
export function RuleDigest() {
  const client = useClient()
  const [since, setSince] = useState(lookedAt)
  const { remote, again } = useRemote(useCallback(() => client.letThrough(since), [client, since]))
  const passed = remote.state === 'ready' ? remote.value : undefined
  const [isOpen, setOpen] = useState(false)
  const seen = useCallback((until: number) => {
    setLookedAt(until)
    setSince(until)
  }, [])
  useEffect(() => {
    const onVisible = () => document.visibilityState === 'visible' && again()
    document.addEventListener('visibilitychange', onVisible)
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [again])
  useEffect(() => {
    if (since === undefined && passed) seen(passed.until)
  }, [since, passed, seen])
  if (since === undefined || !passed || passed.calls === 0) return null
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="group/digest mt-6 px-1 text-sm">
      <summary className="inline-flex min-h-11 cursor-pointer list-none items-center gap-1.5 rounded-lg text-quiet hover:text-ink focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9 [&::-webkit-details-marker]:hidden">
        <ChevronDown
          aria-hidden
          className="size-4 shrink-0 transition-transform group-open/digest:rotate-180 motion-reduce:transition-none"
        />
        <span>
          Since <When at={since} />: {count(passed.calls, 'call')} {passed.calls === 1 ? 'was' : 'were'} allowed by{' '}
          {count(passed.rules.length, 'rule')}
        </span>
      </summary>
      {isOpen && (
        <>
          <DigestRules rules={passed.rules} />
          <Button className="mt-3" onClick={() => seen(passed.until)}>
            Mark as seen
          </Button>
        </>
      )}
    </details>
  )
}

function When({ at }: { at: number }) {
  const isToday = useNowAs((now) => new Date(at).toDateString() === new Date(now).toDateString())
  const time = { hour: '2-digit', minute: '2-digit' } as const
  return (
    <time dateTime={new Date(at).toISOString()}>
      {new Date(at).toLocaleString([], isToday ? time : { day: 'numeric', month: 'short', ...time })}
    </time>
  )
}

const LINK =
  'inline-flex min-h-11 items-center rounded text-quiet underline decoration-line underline-offset-2 hover:text-ink hover:decoration-current focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-0'

function DigestRules({ rules }: { rules: LetThrough['rules'] }) {
  const { remote } = useRules()
  const texts = new Map<string, string>()
  if (remote.state === 'ready') {
    const { policy, remembered } = remote.value
    for (const { id, pattern } of [...policy.rules, ...policy.file.rules]) texts.set(id, pattern)
    for (const { id, rule } of remembered) texts.set(id, rule)
  }
  return (
    <ul className="mt-1 divide-y divide-line border-y border-line">
      {rules.map(({ rule, calls, last }) => (
        <li key={rule} className="py-2.5">
          <p className="flex items-baseline gap-3">
            <span className="min-w-0 flex-1 wrap-anywhere">
              {texts.has(rule) ? (
                <VisibleText text={texts.get(rule) ?? ''} code className="font-mono text-[13px]" />
              ) : (
                remote.state !== 'loading' && <span className="text-quiet">A rule that is gone by now</span>
              )}
            </span>
            <span className="shrink-0 tabular-nums">{count(calls, 'call')}</span>
          </p>
          {last && (
            <p className="text-[13px] text-quiet wrap-anywhere">
              last <Age since={last.at} suffix=" ago" />:{' '}
              <VisibleText text={last.title} code className="font-mono text-xs" />
            </p>
          )}
          <div className="flex flex-wrap gap-x-3 text-[13px]">
            <Link href={`/history?rule=${rule}`} className={LINK}>
              See {calls === 1 ? 'the call' : 'the calls'}
            </Link>
            {texts.has(rule) && <RuleActions rules={[rule]} decided />}
          </div>
        </li>
      ))}
    </ul>
  )
}
