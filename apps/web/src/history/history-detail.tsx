import { rulesOf } from '@holdpoint/core/history'
import { SettledAskContent } from '@holdpoint/react/cards/ask-card-settled'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { JsonTree } from '@holdpoint/react/text/json-tree'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { duration } from '@holdpoint/react/time/ago'
import type { Ask } from '@holdpoint/schema/ask'
import type { HistoryDetail as Detail } from '@holdpoint/schema/endpoints/history'
import type { AskId } from '@holdpoint/schema/id'
import type { NoticeStep } from '@holdpoint/schema/notification'
import { type ReactNode, useCallback } from 'react'
import { pastMachineName } from '../machines/machine-words.ts'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'

/** All of an ask that is over: what it was about, who saw it, how long it waited, and its place in the record. */
export function HistoryDetail({ id }: { id: AskId }) {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.historyDetail(id), [client, id]))
  return (
    <RemoteView remote={remote} again={again}>
      {(detail) => (
        <div className="flex flex-col gap-3 pt-1 pb-3">
          <div className="-mx-4">
            <AskContent ask={detail.ask} />
          </div>
          <Facts detail={detail} />
        </div>
      )}
    </RemoteView>
  )
}

function AskContent({ ask }: { ask: Ask }) {
  if (ask.kind === 'approval' || ask.kind === 'plan') return <SettledAskContent ask={ask} />
  return (
    <div className="flex flex-col gap-2.5 px-4">
      <JsonTree value={ask.questions ?? ask.form} label={ask.kind === 'form' ? 'Form' : 'Questions'} />
      {ask.outcome?.answer && <JsonTree value={ask.outcome.answer} label="Answer" />}
    </div>
  )
}

const STEPS: Readonly<Record<NoticeStep, string>> = {
  sent: 'sent',
  shown: 'shown on its screen',
  failed: 'could not be sent',
}

function Facts({ detail: { ask, project, machine, delivered, sightings, notified, chain } }: { detail: Detail }) {
  const { outcome } = ask
  const rules = outcome ? rulesOf(outcome) : []
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[13px]">
      <Fact name="asked">{time(ask.raisedAt)}</Fact>
      {outcome && (
        <Fact name="waited">
          {waited(outcome.at - ask.raisedAt)}, until {time(outcome.at)}
        </Fact>
      )}
      <Fact name="seen by">
        {sightings.length === 0
          ? 'nobody'
          : sightings.map(({ by, at }) => (
              <span key={`${by.device} ${at}`} className="block">
                <VisibleText text={by.name} /> after {waited(at - ask.raisedAt)}
              </span>
            ))}
      </Fact>
      {notified.length > 0 && (
        <Fact name="notified">
          {notified.map(({ to, step, at, reason }) => (
            <span key={`${to.id} ${step} ${at}`} className="block">
              <VisibleText text={to.name} />: {STEPS[step]} after {waited(at - ask.raisedAt)}
              {reason !== undefined && (
                <>
                  {' '}
                  (<VisibleText text={reason} />)
                </>
              )}
            </span>
          ))}
        </Fact>
      )}
      {outcome?.by && (
        <Fact name="answered by">
          <VisibleText text={outcome.by.name} /> ({outcome.by.role})
        </Fact>
      )}
      {rules.length > 0 && (
        <Fact name={rules.length === 1 ? 'rule' : 'rules'}>
          <Code text={rules.join(' ')} />
        </Fact>
      )}
      {!delivered && outcome?.kind !== 'withdrawn' && (
        <Fact name="agent">has not confirmed that it got the answer</Fact>
      )}
      {project !== '' && (
        <Fact name="project">
          <Code text={project} />
        </Fact>
      )}
      {machine && (
        <Fact name="machine">
          <VisibleText text={pastMachineName(machine)} />
        </Fact>
      )}
      {chain.settled && (
        <Fact name="record">
          event {chain.settled.seq.toLocaleString('en')} <Code text={chain.settled.hash} />
        </Fact>
      )}
      <Fact name="head of the session">
        event {chain.head.sessionSeq.toLocaleString('en')} of the session <Code text={chain.head.hash} />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}

function Code({ text }: { text: string }) {
  return <VisibleText text={text} code className="font-mono text-xs" />
}

function time(at: number): ReactNode {
  return <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>
}

function waited(milliseconds: number): string {
  return milliseconds < 1000 ? 'less than a second' : duration(milliseconds)
}
