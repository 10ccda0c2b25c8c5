import { isYes } from '@holdpoint/core/is-yes'
import { shownField } from '@holdpoint/core/shown-field'
import { OutcomeLine } from '@holdpoint/react/cards/outcome-line'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { CodeBlock } from '@holdpoint/react/text/code-block'
import { JsonTree } from '@holdpoint/react/text/json-tree'
import { sizeWords } from '@holdpoint/react/text/size-words'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { CopyInLine } from '@holdpoint/react/ui/copy-button'
import type { SessionId } from '@holdpoint/schema/id'
import { Check, CircleDashed, CirclePause, Minus, X } from 'lucide-react'
import { useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import { WaitingLine } from './ask-row.tsx'
import { CrewWords } from './crew-words.tsx'
import { Fold } from './fold.tsx'
import { inputSummary } from './input-summary.ts'
import { type ToolCallItem, textField } from './input-text.ts'
import { ResultText } from './result-text.tsx'
import type { Row } from './thread-rows.ts'

export interface ToolRowProps {
  readonly row: Extract<Row, { kind: 'tool' }>
  /** Left out where the thread is a conversation of elsewhere. */
  readonly sessionId?: SessionId | undefined
  /** The agent works on nothing: what has no result will get none. */
  readonly isIdle: boolean
  /** Paths are shown relative to this folder. */
  readonly folder: string
  readonly expanded: boolean
  onToggle(): void
  onGoToAsk(): void
}

/** A call in one line: how it went, which tool, with what. Opened, all of the input and of the result. */
export function ToolRow({
  row: { call, result, asks, crew },
  sessionId,
  isIdle,
  folder,
  expanded,
  onToggle,
  onGoToAsk,
}: ToolRowProps) {
  return (
    <>
      <Fold
        expanded={expanded}
        onToggle={onToggle}
        label={
          <span className="flex min-w-0 items-center gap-2">
            <StateIcon state={stateOf({ result, asks, crew }, isIdle)} />
            <span className="max-w-[45%] shrink-0 truncate font-medium">
              <CallName call={call} />
            </span>
            <span className="min-w-0 truncate font-mono text-xs text-quiet">
              <VisibleText text={inputSummary(call, folder)} code joinLines />
            </span>
            {crew && <CrewWords crew={crew} />}
          </span>
        }
      >
        {call.omitted === undefined ? (
          <InputView input={call.input} display={call.display} />
        ) : (
          <LargeInput call={call} sessionId={sessionId} />
        )}
        {!result && <p className="text-[13px] text-quiet">No result yet.</p>}
        {result && !crew?.endsWithResult && <ResultText item={result} />}
      </Fold>
      {asks.map((ask) =>
        ask.outcome ? (
          <div key={ask.id} className="ml-6 py-0.5">
            <OutcomeLine ask={ask} outcome={ask.outcome} />
          </div>
        ) : (
          <WaitingLine key={ask.id} onGoToAsk={onGoToAsk} />
        ),
      )}
    </>
  )
}

/** What the agent's own tools do, in the driver's words; of any other tool only its name is known. */
function CallName({ call: { name, display } }: Pick<ToolRowProps['row'], 'call'>) {
  const isKnown = display !== undefined && display.icon !== 'tool'
  return <VisibleText text={isKnown ? display.verb : name} code />
}

/** A large input, loaded when somebody wants to see it. */
function LargeInput({ call, sessionId }: { call: ToolRowProps['row']['call']; sessionId: SessionId | undefined }) {
  const client = useClient()
  const [loaded, setLoaded] = useState<{ readonly input: unknown } | { readonly error: string }>()
  if (loaded && 'input' in loaded) return <InputView input={loaded.input} display={call.display} />
  async function load(id: SessionId) {
    const item = await settle(client.wholeItem(id, call.id))
    if (!item.ok) setLoaded({ error: item.message })
    else if (item.value.type === 'tool-call') setLoaded({ input: item.value.input })
  }
  return (
    <div className="flex flex-wrap items-center gap-2 text-[13px] text-quiet">
      <p>The input is large: {sizeWords(call.omitted ?? 0)}.</p>
      {sessionId !== undefined && <Button onClick={() => void load(sessionId)}>Show all of it</Button>}
      {loaded && <p role="alert">{loaded.error}</p>}
    </div>
  )
}

function InputView({ input, display }: Pick<ToolCallItem, 'input' | 'display'>) {
  const field = shownField(display, 'command')
  const command = field === undefined ? undefined : textField(input, field)
  if (command === undefined || typeof input !== 'object' || input === null) return <JsonTree value={input} />
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => name !== field))
  return (
    <>
      <CodeBlock
        text={command}
        language="shellscript"
        label="Command"
        action={<CopyInLine text={command} label="Copy the command" />}
      />
      {Object.keys(rest).length > 0 && <JsonTree value={rest} />}
    </>
  )
}

type State = keyof typeof STATES

function stateOf(row: Pick<ToolRowProps['row'], 'result' | 'asks' | 'crew'>, isIdle: boolean): State {
  const { result, asks, crew } = row
  const ask = asks.at(-1)
  if (crew?.waits) return 'waits'
  if (result) return result.isError ? 'failed' : 'done'
  if (ask && !ask.outcome) return 'waits'
  const isRefused = ask?.outcome !== undefined && !isYes(ask.outcome)
  return isIdle || isRefused ? 'none' : 'runs'
}

const STATES = {
  done: { icon: Check, look: 'text-allow', words: 'done' },
  failed: { icon: X, look: 'text-deny', words: 'failed' },
  waits: { icon: CirclePause, look: 'text-wait', words: 'needs answer' },
  runs: { icon: CircleDashed, look: 'animate-spin text-accent motion-reduce:animate-none', words: 'running' },
  none: { icon: Minus, look: 'text-faint', words: 'no result' },
} as const

function StateIcon({ state }: { state: State }) {
  const { icon: Icon, look, words } = STATES[state]
  return <Icon aria-label={words} className={`size-4 shrink-0 ${look}`} />
}
