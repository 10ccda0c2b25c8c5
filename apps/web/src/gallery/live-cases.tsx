import { AskAnnouncer } from '@holdpoint/react/cards/ask-announcer'
import { BurstBar, useBurst } from '@holdpoint/react/cards/burst-bar'
import { LiveAskCard } from '@holdpoint/react/cards/live-ask-card'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { HoldpointProvider } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { useState } from 'react'
import { type Behaviour, createFakeClient, type FakeClient } from './fake-client.ts'
import { bash, edit, question } from './sample-asks.ts'
import { DIFF, LONG_COMMAND, QUESTIONS } from './sample-texts.ts'

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'live--settles': 'settles',
  'live--silent': 'silent',
  'live--lost-race': 'lost-race',
  'live--digest-mismatch': 'digest-mismatch',
  'live--fault': 'fault',
  'live--queue': 'settles',
  'live--burst': 'settles',
}

/** Cards that really answer, to a gateway in this page; what they sent is listed below them. */
export const LIVE_CASES: readonly string[] = Object.keys(BEHAVIOURS)

export function LiveCase({ id }: { id: string }) {
  const [answers, setAnswers] = useState<readonly string[]>([])
  const [client] = useState(() =>
    createFakeClient(asksFor(id), BEHAVIOURS[id] ?? 'settles', (ask, answer) =>
      setAnswers((before) => [...before, JSON.stringify({ id: ask.id, ...answer })]),
    ),
  )
  return (
    <HoldpointProvider client={client}>
      <AskAnnouncer />
      <Queue client={client} burst={id === 'live--burst'} />
      <ol aria-label="Answers sent" data-answers={answers.length} className="pt-4 font-mono text-xs text-quiet">
        {answers.map((answer, index) => (
          <li key={`${index} ${answer}`}>{answer}</li>
        ))}
      </ol>
    </HoldpointProvider>
  )
}

function asksFor(id: string): readonly Ask[] {
  const raisedAt = Date.now() - 8000
  if (id === 'live--queue') {
    return [bash('npm ci', { raisedAt }), edit(DIFF, { raisedAt }), question(QUESTIONS.slice(0, 1), { raisedAt })]
  }
  if (id === 'live--burst') {
    return [
      ...['npm ci', 'npm test', 'npm run lint'].map((command) => bash(command, { raisedAt })),
      bash(LONG_COMMAND, { raisedAt }),
      edit(DIFF, { raisedAt }),
    ]
  }
  return [bash('npm test -- queue', { raisedAt })]
}

function Queue({ client, burst: withBurst }: { client: FakeClient; burst: boolean }) {
  const asks = useAsks()
  const burst = useBurst(asks)
  const [shown, setShown] = useState<readonly AskId[]>([])
  const fresh = asks.filter((ask) => !shown.includes(ask.id))
  if (fresh.length > 0) {
    const tops = fresh.filter((ask) => shown.length > 0 && asks[0]?.id === ask.id)
    const others = fresh.filter((ask) => !tops.includes(ask))
    setShown(
      [...tops, ...others].length > 0
        ? [...tops.map((ask) => ask.id), ...shown, ...others.map((ask) => ask.id)]
        : shown,
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => client.add(bash(`echo ${Date.now()}`, { raisedAt: Date.now() }), 'top')}>
          Add on top
        </Button>
        <Button onClick={() => client.add(bash(`echo ${Date.now()}`, { raisedAt: Date.now() }), 'end')}>
          Add at the end
        </Button>
        <Button onClick={() => asks[0] && client.withdraw(asks[0])}>Withdraw the first</Button>
      </div>
      {withBurst && <BurstBar asks={asks} burst={burst} />}
      {shown.map((askId) => (
        <LiveAskCard key={askId} askId={askId} {...(withBurst && { burst })} />
      ))}
    </div>
  )
}
