import { Age } from '@holdpoint/react/age'
import { useClient } from '@holdpoint/react/holdpoint-provider'
import { IconButton } from '@holdpoint/react/icon-button'
import { useGateway } from '@holdpoint/react/use-gateway'
import { VisibleText } from '@holdpoint/react/visible-text'
import type { ListedRule } from '@holdpoint/schema/rule'
import { Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { useIsOwner } from '../me.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { useCommand } from '../session/use-command.ts'

/** Remembered answers, and a way to forget them. */
export function RulesPage() {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.rules(), [client]))
  return (
    <Page
      title="Rules"
      intro="Answers you told Holdpoint to remember. Each matches exactly the same input, in the same folder, with the files that it runs unchanged, until its session ends. The description and the time limit of a command do not count. Files that its own files load are not compared."
    >
      <RemoteView remote={remote} again={again}>
        {(rules) =>
          rules.length === 0 ? (
            <p className="text-quiet">None. “Allow and remember” on a card makes one.</p>
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
          className={`font-mono text-[13px] wrap-anywhere ${rule.ended === undefined ? '' : 'text-quiet line-through decoration-line'}`}
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
