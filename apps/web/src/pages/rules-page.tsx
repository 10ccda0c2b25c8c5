import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { ListedRule } from '@holdpoint/schema/rule'
import { Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { useRemote } from '../parts/use-remote.ts'

/** Remembered answers, and a way to forget them. */
export function RulesPage() {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.rules(), [client]))
  return (
    <Page
      title="Rules"
      intro="Answers that Holdpoint remembers. Each allows only the same call, until its session ends."
    >
      <RemoteView remote={remote} again={again}>
        {(rules) =>
          rules.length === 0 ? (
            <p className="text-quiet">There are no rules. “Allow and remember” on a card creates one.</p>
          ) : (
            <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
              {rules.map((rule) => (
                <RuleLine key={rule.id} rule={rule} onRemoved={again} />
              ))}
            </ul>
          )
        }
      </RemoteView>
    </Page>
  )
}

function RuleLine({ rule, onRemoved }: { rule: ListedRule; onRemoved: () => void }) {
  const client = useClient()
  const isOwner = useIsOwner()
  const title = useGateway((state) => state.sessions.get(rule.sessionId)?.title)
  const { run, busy, failure } = useCommand()
  return (
    <li className="flex items-center gap-3 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p
          className={`font-mono text-[13px] wrap-anywhere ${rule.ended === undefined ? '' : 'text-quiet line-through decoration-quiet'}`}
        >
          <VisibleText text={rule.rule} code />
        </p>
        <p className="text-xs text-quiet">
          allowed in <VisibleText text={title ?? 'a session'} />
          {rule.by && (
            <>
              {' '}
              by <VisibleText text={rule.by.name} />
            </>
          )}{' '}
          · <Age since={rule.at} suffix=" ago" />
        </p>
        {rule.ended !== undefined && (
          <p className="text-xs text-wait">
            Ended: <VisibleText text={rule.ended} />
          </p>
        )}
        {failure && (
          <Notice tone="deny" role="alert">
            {failure}
          </Notice>
        )}
      </div>
      {isOwner && (
        <IconButton
          icon={Trash2}
          label="Forget this rule"
          off={busy}
          onClick={() => void run(client.removeRule(rule.id)).then((done) => done && onRemoved())}
        />
      )}
    </li>
  )
}
