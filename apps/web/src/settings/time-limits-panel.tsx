import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { TimeLimits } from '@holdpoint/schema/endpoints/time-limits'
import type { LimitPlace, TimeLimit } from '@holdpoint/schema/time-limit'
import { Plus, Trash2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { useRemote } from '../parts/use-remote.ts'
import { KIND_WORDS, limitWords } from '../time-limits/limit-words.ts'
import { SetLimitDialog } from './set-limit-dialog.tsx'

/** The limits of sessions that are started without their own. */
export function TimeLimitsPanel() {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.timeLimits(), [client]))
  const { run, failure } = useCommand()
  const [setting, setSetting] = useState(false)
  return (
    <Panel title="How long asks wait">
      <p className="text-sm text-quiet">
        For sessions that start from now on. When an ask expires, nothing is allowed, and the agent is told that nobody
        answered. Asks of agents in terminals do not expire.
      </p>
      <RemoteView remote={remote} again={again}>
        {(limits) => (
          <LimitList limits={limits} onRemove={(place) => void run(client.removeTimeLimit(place)).then(again)} />
        )}
      </RemoteView>
      <FailureNotice why={failure} />
      <div>
        <Button icon={Plus} onClick={() => setSetting(true)}>
          Set a limit
        </Button>
      </div>
      {setting && (
        <SetLimitDialog
          onClose={() => {
            setSetting(false)
            again()
          }}
        />
      )}
    </Panel>
  )
}

function LimitList({ limits, onRemove }: { limits: TimeLimits; onRemove(place: LimitPlace): void }) {
  const { ofGateway } = limits
  const isForAll = limits.limits.some(({ project, kind }) => project === undefined && kind === undefined)
  const general: TimeLimit = { ...(ofGateway ?? { afterMs: null, onTimeout: 'deny' }) }
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {[...limits.limits].sort(byPlace).map((limit) => (
        <LimitLine key={`${limit.kind} ${limit.project}`} limit={limit} onRemove={onRemove} />
      ))}
      {!isForAll && <LimitLine limit={general} note={ofGateway && 'set when the gateway was started'} />}
    </ul>
  )
}

/** The narrowest first, as they count. */
function byPlace(one: TimeLimit, other: TimeLimit): number {
  const width = ({ project, kind }: TimeLimit) => (project === undefined ? 2 : 0) + (kind === undefined ? 1 : 0)
  return (
    width(one) - width(other) ||
    (one.project ?? '').localeCompare(other.project ?? '') ||
    (one.kind ?? '').localeCompare(other.kind ?? '')
  )
}

interface LimitLineProps {
  readonly limit: TimeLimit
  readonly note?: string | undefined
  onRemove?(place: LimitPlace): void
}

function LimitLine({ limit, note, onRemove }: LimitLineProps) {
  const { project, kind } = limit
  const what = kind === undefined ? 'All asks' : KIND_WORDS[kind]
  return (
    <li className="flex min-h-13 items-center gap-3 py-1.5 pr-1.5 pl-3.5">
      <div className="min-w-0 flex-1 text-sm">
        <p>
          <span className="font-medium">{what}</span>{' '}
          {project === undefined ? (
            'in all folders'
          ) : (
            <>
              in{' '}
              <span className="font-mono text-[13px] wrap-anywhere">
                <VisibleText text={project} code />
              </span>
            </>
          )}
        </p>
        <p className="text-[13px] text-quiet">
          wait {limitWords(limit)}
          {note !== undefined && ` · ${note}`}
        </p>
      </div>
      {onRemove && (
        <IconButton
          icon={Trash2}
          label={`Remove the limit for ${what.toLowerCase()} in ${project ?? 'all folders'}`}
          onClick={() => onRemove({ ...(project !== undefined && { project }), ...(kind !== undefined && { kind }) })}
        />
      )}
    </li>
  )
}
