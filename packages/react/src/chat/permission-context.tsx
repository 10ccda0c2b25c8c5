import type { PermissionRequest } from '@holdpoint/core/permission-request'
import { Bot } from 'lucide-react'
import { useMemo } from 'react'
import { CallFolder } from '../cards/call-folder.tsx'
import { RaisedByLine } from '../cards/raised-by.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { Chip } from '../ui/chip.tsx'
import { ToolIcon } from '../ui/tool-icon.tsx'
import { CallContent } from './call-content.tsx'
import { callOfRequest, callWords, displayOf } from './shown-call.ts'

export interface PermissionContextProps {
  readonly request: PermissionRequest
  /** Once, when all of it has been on screen to its end. */
  onAllSeen?: (() => void) | undefined
}

/** What a request would do: an edit as its diff, a command as code, anything else with its whole input. */
export function PermissionContext({ request, onAllSeen }: PermissionContextProps) {
  const call = useMemo(() => callOfRequest(request), [request])
  const { verb, subject } = callWords(call)
  const { subagent } = request.metadata
  return (
    <div className="flex min-w-0 flex-col gap-3 text-sm text-ink">
      <h3 className="flex flex-wrap items-baseline gap-x-2 gap-y-1 font-semibold">
        <span className="flex min-w-0 gap-2">
          <ToolIcon icon={displayOf(call).icon} />
          <span className="min-w-0 wrap-anywhere">
            {verb}
            {subject !== undefined && (
              <>
                {': '}
                <code className="font-mono text-[13px] font-medium">
                  <VisibleText text={subject} code />
                </code>
              </>
            )}
          </span>
        </span>
        {subagent !== undefined && (
          <Chip>
            <Bot aria-hidden className="size-3 shrink-0" />
            <span className="sr-only">subagent </span>
            <VisibleText text={subagent} />
          </Chip>
        )}
      </h3>
      <div className="-mt-1.5 flex text-[13px] text-quiet">
        <CallFolder cwd={call.context.cwd} />
      </div>
      <RaisedByLine raiser={call.raiser} className="-mt-1.5" />
      <CallContent call={call} onAllSeen={onAllSeen} />
    </div>
  )
}
