import type { Answer } from '@holdpoint/schema/answer'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { Ellipsis } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { ArmedButton, keyDecides, useArming } from '../arming/arming.tsx'
import { useEndsSeen } from '../arming/ends-seen.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { EditDiff } from '../text/diff-view.tsx'
import { JsonTree } from '../text/json-tree.tsx'
import { stringsIn } from '../text/strings-in.ts'
import { EscapeWarning, VisibleText } from '../text/visible-text.tsx'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import { FactLine } from './agent-says.tsx'
import { AnswerHint, FROZEN } from './answer-hint.tsx'
import { AnswerStatus } from './answer-status.tsx'
import { besidesPlan } from './approval-blocks.ts'
import { AskedAgainLine } from './asked-again.tsx'
import { decisionOf, whyYesWaits } from './away-machine.ts'
import { CardFrame, type OpenCardProps } from './card-frame.tsx'
import { DenyPanel } from './deny-panel.tsx'
import { MoreSheet } from './more-sheet.tsx'
import { PlanText } from './plan-text.tsx'

/** Modes in which an approved plan may continue; an owner sets the others for the session. */
const MODES: readonly (readonly [PermissionMode, string])[] = [
  ['default', 'ask before each change'],
  ['acceptEdits', 'edit files without asking'],
]

/** A plan to read, change, approve or send back. */
export function PlanCard(card: OpenCardProps) {
  const { ask, state } = card
  const decision = decisionOf(card)
  const arming = useArming(decision)
  const besides = useMemo(() => besidesPlan(ask), [ask])
  const ends = useEndsSeen(besides ? ['plan', 'besides'] : ['plan'], card.onEndSeen)
  const original = ask.plan?.text ?? ''
  const texts = useMemo(() => [ask.plan?.filePath ?? '', ...stringsIn(besides)], [ask.plan?.filePath, besides])
  const howToSee = useHowToSee()
  const [text, setText] = useState(original)
  const [mode, setMode] = useState<PermissionMode>('default')
  const [editing, setEditing] = useState(false)
  const [sendingBack, setSendingBack] = useState(false)
  const [more, setMore] = useState(false)

  const sent = state.kind === 'submitting' ? state.answer : undefined
  const blocked = card.blocked !== undefined
  const frozen = card.session?.frozen === true
  const waits = whyYesWaits(card)
  const unseen = ends.all ? undefined : `${howToSee} to approve`
  const hint = blocked || sent ? undefined : frozen ? FROZEN : (waits ?? unseen)
  const cannotApprove = blocked || frozen || waits !== undefined || !ends.all || sent?.kind === 'deny'

  function send(answer: Answer) {
    if (!sent) card.onAnswer(ask, answer)
  }
  function approve() {
    const plan = text === original ? {} : { plan: text }
    send({ kind: 'allow', digest: ask.digest, ...plan, permissionMode: mode })
  }
  function onKey(event: KeyboardEvent) {
    if (sendingBack || sent) return
    if (event.key === 'a' && !cannotApprove && keyDecides(arming, event)) approve()
    else if (event.key === 'd' && !blocked) setSendingBack(true)
    else if (event.key === 'e' && !blocked) setEditing(true)
    else return
    event.preventDefault()
  }

  return (
    <CardFrame card={card} arming={arming} onKey={onKey}>
      <div className="flex flex-col gap-2.5 px-4">
        <AskedAgainLine ask={ask} />
        {ask.plan?.filePath !== undefined && (
          <FactLine name="written to">
            <VisibleText text={ask.plan.filePath} code className="font-mono text-xs" />
          </FactLine>
        )}
        <PlanText text={original} onEndSeen={() => ends.mark('plan')} />
        {besides && (
          <div>
            <p className="pb-1 text-xs text-faint">Other input</p>
            <JsonTree value={besides} label="Other input" onEndSeen={() => ends.mark('besides')} />
          </div>
        )}
        <EscapeWarning texts={texts} prose={[original]} />
        {editing && <PlanEditor text={text} original={original} onChange={setText} />}
      </div>
      <AnswerStatus card={card} />
      {sendingBack ? (
        <DenyPanel
          decision={decision}
          label="What should change? The agent reads this"
          placeholder="Comments on the plan"
          confirm="Send back"
          sent={sent}
          off={blocked}
          canStop={false}
          onDeny={(message) => send({ kind: 'deny', digest: ask.digest, ...(message.trim() !== '' && { message }) })}
          onClose={() => setSendingBack(false)}
        />
      ) : (
        <ActionRow
          arming={arming}
          hint={<ModeSelect mode={mode} onChange={setMode} hint={hint} unseen={hint === unseen} />}
        >
          <IconButton
            icon={Ellipsis}
            label="More…"
            onClick={() => setMore(true)}
            off={sent !== undefined}
            className="border border-line sm:hidden"
          />
          <Button
            variant="deny"
            off={blocked || sent !== undefined}
            why={card.blocked}
            onClick={() => setSendingBack(true)}
            className={WIDE_ON_PHONE}
          >
            Send back…
          </Button>
          <Button
            variant="quiet"
            off={sent !== undefined}
            aria-expanded={editing}
            onClick={() => setEditing(!editing)}
            className="max-sm:hidden"
          >
            Edit
          </Button>
          <Spacer />
          <ArmedButton
            variant="primary"
            off={cannotApprove}
            why={card.blocked ?? hint}
            busy={sent?.kind === 'allow'}
            onPress={approve}
            className={`max-sm:leading-tight max-sm:whitespace-normal ${WIDE_ON_PHONE}`}
          >
            {text === original ? 'Approve' : 'Approve with changes'}
          </ArmedButton>
        </ActionRow>
      )}
      <MoreSheet
        open={more}
        onClose={() => setMore(false)}
        choices={[{ label: 'Edit…', hint: 'Change the plan, then approve it', choose: () => setEditing(true) }]}
      />
    </CardFrame>
  )
}

function PlanEditor({ text, original, onChange }: { text: string; original: string; onChange(text: string): void }) {
  const field = useId()
  return (
    <div>
      <label htmlFor={field} className="text-[13px] text-quiet">
        Your version: the agent continues with this
      </label>
      <textarea
        id={field}
        // biome-ignore lint/a11y/noAutofocus: the person asked for this field with the press before.
        autoFocus
        value={text}
        maxLength={1_000_000}
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 mb-2 block scroll-mb-36 field-sizing-content max-h-[50dvh] min-h-40 w-full resize-y rounded-lg border border-edge bg-card px-3 py-2 font-mono text-base leading-6 focus-visible:outline-2 focus-visible:outline-accent sm:text-[13px]"
      />
      {text !== original && <EditDiff before={original} after={text} />}
    </div>
  )
}

interface ModeSelectProps {
  readonly mode: PermissionMode
  readonly hint: string | undefined
  readonly unseen: boolean
  onChange(mode: PermissionMode): void
}

function ModeSelect({ mode, hint, unseen, onChange }: ModeSelectProps) {
  const field = useId()
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 pb-2.5 text-[13px]">
      <label htmlFor={field} className="text-quiet">
        Then
      </label>
      <select
        id={field}
        value={mode}
        onChange={(event) => {
          const chosen = MODES.find(([value]) => value === event.target.value)
          if (chosen) onChange(chosen[0])
        }}
        className="min-h-11 min-w-0 flex-1 rounded-lg border border-edge bg-card px-2 text-base focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9 pointer-fine:text-sm sm:flex-none"
      >
        {MODES.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <AnswerHint text={hint} unseen={unseen} className="max-sm:basis-full sm:ml-auto" />
    </div>
  )
}
