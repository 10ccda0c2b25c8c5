import { LiveAskCard } from '@holdpoint/react/cards/live-ask-card'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { AskId } from '@holdpoint/schema/id'
import { useCallback, useState } from 'react'
import { useIsOwner, useMayAct } from '../account/me.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { Heading } from '../parts/page.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { RetryNotice } from '../parts/retry-notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { type Remote, settle, useRemote } from '../parts/use-remote.ts'
import { KeyNoteLine } from './key-note-line.tsx'
import { type KeyNote, useCardKeyNote } from './use-key-note.ts'

/** One ask, alone: where a notification leads. */
export function AskPage({ id }: { id: string }) {
  // An address can hold anything; what is not the id of an ask is simply not found.
  const askId = id as AskId
  const others = useAsks().filter((ask) => ask.id !== askId)
  // What was withdrawn because it had changed is asked again, under another id.
  const again = others.find(({ replaces }) => replaces === askId)
  const isOpen = useGateway(({ asks }) => asks.some((ask) => ask.id === askId))
  const isConnecting = useGateway(({ link }) => link === 'connecting')
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  const waiting = others.length - (again ? 1 : 0)
  return (
    <div className="mx-auto flex min-h-full w-full max-w-240 flex-col px-3 pt-4 pb-8 sm:px-4 desk:px-8 desk:pt-7">
      {isOpen || wasOpen ? (
        <Known askId={askId} isOpen={isOpen} />
      ) : isConnecting ? (
        <Skeleton rows={2} className="h-44" />
      ) : (
        <Past askId={askId} />
      )}
      {again && (
        <div className="mt-3">
          <Card askId={again.id} />
        </div>
      )}
      {!isConnecting && (
        <div className="mt-5 px-1">
          <LinkButton href="/">{waiting === 0 ? 'Inbox' : `${waiting} more in the inbox`}</LinkButton>
        </div>
      )}
    </div>
  )
}

function Known({ askId, isOpen }: { askId: AskId; isOpen: boolean }) {
  const note = useCardKeyNote()
  return (
    <>
      <Title note={isOpen ? note : undefined}>{isOpen ? 'Needs your answer' : 'Settled'}</Title>
      <Card askId={askId} />
    </>
  )
}

function Title({ children, note }: { children: string; note?: KeyNote | undefined }) {
  usePageTitle(children)
  return (
    <div className="mb-4 flex min-h-9 flex-wrap items-baseline gap-x-2.5 px-1">
      <Heading>{children}</Heading>
      <KeyNoteLine note={note} />
      {/* Cards have headings of the third level. */}
      <h2 className="sr-only">Ask</h2>
    </div>
  )
}

function Card({ askId }: { askId: AskId }) {
  const mayAct = useMayAct()
  const isOwner = useIsOwner()
  return (
    <LiveAskCard
      askId={askId}
      canMakeRules={isOwner}
      {...(!mayAct && { blocked: 'This browser can view asks, but not answer them.' })}
    />
  )
}

/** One that was settled before this page was opened. */
function Past({ askId }: { askId: AskId }) {
  const client = useClient()
  const read = useCallback(async () => {
    const found = await settle(client.historyDetail(askId))
    if (found.ok) return { ok: true as const, value: found.value.ask }
    const isMissing = found.code === 'not_found' || found.code === 'forbidden' || found.code === 'invalid_request'
    return isMissing ? { ok: true as const, value: undefined } : { ...found, status: 0 }
  }, [client, askId])
  const { remote, again } = useRemote(read)
  return <PastAsk askId={askId} remote={remote} again={again} />
}

type Found = NonNullable<Parameters<typeof LiveAskCard>[0]['ask']>

function PastAsk({ askId, remote, again }: { askId: AskId; remote: Remote<Found | undefined>; again(): void }) {
  if (remote.state === 'loading') return <Skeleton rows={2} className="h-44" />
  if (remote.state === 'failed') return <RetryNotice message={remote.message} again={again} />
  if (!remote.value) {
    return (
      <>
        <Title>No such ask</Title>
        <p className="px-1 text-quiet">This ask does not exist, or this browser may not see it.</p>
      </>
    )
  }
  return (
    <>
      <Title>{remote.value.outcome ? 'Settled' : 'Needs your answer'}</Title>
      <LiveAskCard askId={askId} ask={remote.value} />
    </>
  )
}
