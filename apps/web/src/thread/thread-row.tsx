import { Markdown } from '@holdpoint/react/text/markdown'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { SessionId } from '@holdpoint/schema/id'
import { Check, Sparkles, UsersRound } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { AskRow } from './ask-row.tsx'
import { CrewWords } from './crew-words.tsx'
import { Fold } from './fold.tsx'
import { MessageRow } from './message-row.tsx'
import { NoticeRow } from './notice-row.tsx'
import { ResultText } from './result-text.tsx'
import { TasksRow } from './tasks-row.tsx'
import type { Row } from './thread-rows.ts'
import { ToolRow } from './tool-row.tsx'

export interface ThreadRowProps {
  readonly row: Row
  /** The agent works on nothing: what has no result will get none. */
  readonly isIdle: boolean
  readonly folder: string
  /** Whose thread it is; left out for a conversation of elsewhere. */
  readonly sessionId?: SessionId | undefined
  readonly expanded: boolean
  /** It is what was looked for. */
  readonly isFound: boolean
  onToggle(row: Row): void
  onGoToAsk(): void
}

export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const isText = props.row.kind === 'message' || props.row.kind === 'partial'
  return (
    <div className={`mx-auto w-full max-w-3xl px-4 text-[15px] ${isText ? 'py-2' : 'py-0.5'}`}>
      <div
        data-found={props.isFound || undefined}
        className={`${props.row.depth === 1 ? 'ml-2 border-l-2 border-line pl-4' : ''} ${props.isFound ? 'rounded-lg bg-wait-bg outline-4 outline-wait-bg' : ''}`}
      >
        <Content {...props} />
      </div>
    </div>
  )
})

function Content({ row, isIdle, folder, sessionId, expanded, onToggle, onGoToAsk }: ThreadRowProps) {
  const toggle = () => onToggle(row)
  switch (row.kind) {
    case 'message':
      return <MessageRow item={row.item} />
    case 'partial':
      return (
        <div className="hp-streaming">
          <Markdown text={row.text} streaming />
        </div>
      )
    case 'thinking':
      return (
        <Fold expanded={expanded} onToggle={toggle} label={<Labelled icon={Sparkles}>Thinking</Labelled>}>
          <p className="text-sm whitespace-pre-wrap text-quiet italic">
            <VisibleText text={row.item.text} multiline />
          </p>
        </Fold>
      )
    case 'notice':
      return <NoticeRow item={row.item} />
    case 'tool':
      return (
        <ToolRow
          row={row}
          isIdle={isIdle}
          folder={folder}
          sessionId={sessionId}
          expanded={expanded}
          onToggle={toggle}
          onGoToAsk={onGoToAsk}
        />
      )
    case 'tasks':
      // The newest list is open by itself.
      return <TasksRow tasks={row.tasks} expanded={row.isNewest !== expanded} onToggle={toggle} />
    case 'folded':
      return (
        <Fold
          expanded={row.isOpen}
          onToggle={toggle}
          label={
            <span className="flex min-w-0 items-center gap-2">
              <Check aria-label="done" className="size-4 shrink-0 text-allow" />
              <span className="min-w-0 py-1 text-quiet">{row.words}</span>
              {row.allowed > 0 && <span className="shrink-0 text-faint">{row.allowed} allowed</span>}
            </span>
          }
        />
      )
    case 'result':
      return (
        <Fold
          expanded={expanded}
          onToggle={toggle}
          label={<span className="text-quiet">Result of an earlier call</span>}
        >
          <ResultText item={row.item} />
        </Fold>
      )
    case 'ask':
      return <AskRow ask={row.ask} onGoToAsk={onGoToAsk} />
    case 'subagent':
      return (
        <Fold
          expanded={expanded}
          onToggle={toggle}
          label={
            <Labelled icon={UsersRound}>
              <span className="truncate font-medium text-ink">
                <VisibleText text={row.name} />
              </span>
              <CrewWords crew={row} />
            </Labelled>
          }
        />
      )
    default:
      return row satisfies never
  }
}

function Labelled({ icon: Icon, children }: { icon: typeof Sparkles; children: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-quiet">
      <Icon aria-hidden className="size-4 shrink-0" />
      {children}
    </span>
  )
}
