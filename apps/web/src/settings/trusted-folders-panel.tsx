import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { Button } from '@holdpoint/react/ui/button'
import type { TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import type { NodeId } from '@holdpoint/schema/id'
import { useCallback } from 'react'
import { MachineSelect } from '../machines/machine-select.tsx'
import { whyAway } from '../machines/machine-words.ts'
import { thisMachine, useMachineChoice } from '../machines/use-machine-choice.ts'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { useRemote } from '../parts/use-remote.ts'

/** The folders whose own settings may act, and a way to end that. */
export function TrustedFoldersPanel() {
  const client = useClient()
  const { machines, chosen: machine, choose } = useMachineChoice(thisMachine)
  const node = machine?.id
  const { remote, again } = useRemote(useCallback(() => client.trustedFolders(node), [client, node]))
  return (
    <Panel title="Trusted folders">
      <p className="text-sm text-quiet">
        Agents load the settings, hooks and MCP servers of these folders. When you stop trusting a folder, its agents
        restart without them.
      </p>
      {machine && <MachineSelect machines={machines} value={machine} whyNot={whyAway} onChange={choose} />}
      <RemoteView remote={remote} again={again}>
        {(folders) =>
          folders.length === 0 ? (
            <p className="text-sm">No folder is trusted.</p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {folders.map((folder) => (
                <FolderLine key={folder.path} folder={folder} node={node} onChanged={again} />
              ))}
            </ul>
          )
        }
      </RemoteView>
    </Panel>
  )
}

interface FolderLineProps {
  readonly folder: TrustedFolder
  readonly node: NodeId | undefined
  onChanged(): void
}

function FolderLine({ folder, node, onChanged }: FolderLineProps) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const { path, trusted, reason, trustedAt, by } = folder
  return (
    <li className="flex items-center gap-3 py-2 pr-2 pl-3.5">
      <div className="min-w-0 flex-1">
        <p className="font-mono text-[13px] wrap-anywhere">
          <VisibleText text={path} code />
        </p>
        <p className="text-[13px] text-quiet">
          trusted <Age since={trustedAt} suffix=" ago" />
          {by !== undefined && (
            <>
              {' '}
              by <VisibleText text={by} />
            </>
          )}
        </p>
        {!trusted && <p className="text-[13px] text-wait">Not trusted now. {reason}</p>}
        <FailureNotice why={failure} />
      </div>
      <Button
        variant="deny"
        busy={busy}
        aria-label={`Stop trusting ${render(path)}`}
        onClick={() => void run(client.distrustFolder(path, node)).then((done) => done && onChanged())}
      >
        Stop trusting
      </Button>
    </li>
  )
}
