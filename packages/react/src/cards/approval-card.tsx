import { editsInPlace, whyNoRule, whyNotRemembered } from '@holdpoint/core/remembering'
import type { Answer, RememberRequest } from '@holdpoint/schema/answer'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { keyDecides, useArming } from '../arming/arming.tsx'
import { useEndsSeen } from '../arming/ends-seen.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { FROZEN } from './answer-hint.tsx'
import { AnswerStatus } from './answer-status.tsx'
import { ApprovalActions, ConfirmRow } from './approval-actions.tsx'
import { approvalBlocks } from './approval-blocks.ts'
import { ApprovalContent } from './approval-content.tsx'
import { decisionOf, whyYesWaits } from './away-machine.ts'
import { CardFrame, type OpenCardProps } from './card-frame.tsx'
import { DenyPanel } from './deny-panel.tsx'
import { EditPanel } from './edit-panel.tsx'
import { MoreSheet } from './more-sheet.tsx'
import { RememberDialog } from './remember-dialog.tsx'

type Panel = 'actions' | 'deny' | 'edit' | 'confirm'

/** A tool call that waits for a yes or a no. */
export function ApprovalCard(card: OpenCardProps) {
  const { ask, state } = card
  const decision = decisionOf(card)
  const arming = useArming(decision)
  const blocks = useMemo(() => approvalBlocks(ask), [ask])
  const ends = useEndsSeen(
    blocks.map((block) => block.key),
    card.onEndSeen,
  )
  const [panel, setPanel] = useState<Panel>('actions')
  const [dialog, setDialog] = useState<'remember' | 'more'>()

  const frozen = card.session?.frozen === true
  const sent = state.kind === 'submitting' ? state.answer : undefined
  const blocked = card.blocked !== undefined
  const cannotDeny = blocked || (sent !== undefined && sent.kind !== 'deny')
  const waits = whyYesWaits(card)
  const cannotChange = blocked || frozen || waits !== undefined
  const cannotAllow = cannotChange || !ask.tool || !ends.all || sent?.kind === 'deny'
  // A rule that asks beats what is remembered: the same call would ask again.
  const ruleAsks = ask.askedBecause?.rule !== undefined
  const whyNot = whyNotRemembered(ask) ?? (ruleAsks ? 'a rule asks about this call each time' : undefined)
  // The agent has to make an appealed call again, as it is: and it hears nothing but a yes.
  const isAppeal = ask.appeal !== undefined
  const mayWonder =
    !isAppeal &&
    (ruleAsks || editsInPlace(ask.tool?.name ?? '') || ask.context.cwd === undefined || ask.filesUnknown !== undefined)
  const mayMakeRule = card.rules !== undefined && whyNoRule(ask) === undefined
  const mayRemember = whyNot === undefined || mayMakeRule
  const notOffered = mayWonder && whyNot !== undefined && !mayRemember ? `Cannot be remembered: ${whyNot}` : undefined
  const { remember } = ask

  const howToSee = useHowToSee()
  const unseen = ends.all ? undefined : `${howToSee} to allow`
  const unknown = ask.tool ? undefined : 'It names no tool: nothing to allow'
  const hint = blocked || sent ? undefined : frozen ? FROZEN : (waits ?? unknown ?? unseen)
  const whyOff = card.blocked ?? hint
  const waitsToBeSeen = hint !== undefined && hint === unseen

  function send(answer: Answer) {
    if (!sent) card.onAnswer(ask, answer)
  }
  function allow(more: { updatedInput?: Record<string, unknown>; remember?: RememberRequest } = {}) {
    send({ kind: 'allow', digest: ask.digest, ...more })
  }
  function allowOnce() {
    if (ask.flags.defaultToNo) setPanel('confirm')
    else allow()
  }
  function onKey(event: KeyboardEvent) {
    if (panel !== 'actions' || sent) return
    if (event.key === 'a' && !cannotAllow && keyDecides(arming, event)) allowOnce()
    else if (event.key === 'd' && !cannotDeny) setPanel('deny')
    else if (event.key === 'e' && !isAppeal && !cannotChange) setPanel('edit')
    else if (event.key === 'r' && mayRemember && !cannotChange) setDialog('remember')
    else return
    // The letter must not end up in the field that has just opened.
    event.preventDefault()
  }

  return (
    <CardFrame card={card} arming={arming} onKey={onKey}>
      <ApprovalContent ask={ask} blocks={blocks} onEndSeen={ends.mark} />
      <AnswerStatus card={card} />
      {panel === 'actions' && (
        <ApprovalActions
          arming={arming}
          hint={hint}
          unseen={waitsToBeSeen}
          blocked={card.blocked}
          opensOnNo={ask.flags.defaultToNo}
          sent={sent}
          cannotAllow={cannotAllow}
          cannotDeny={cannotDeny}
          cannotChange={cannotChange}
          notOffered={notOffered}
          onAllow={allowOnce}
          onDeny={() => setPanel('deny')}
          {...(!isAppeal && { onEdit: () => setPanel('edit'), onMore: () => setDialog('more') })}
          {...(mayRemember && { onRemember: () => setDialog('remember') })}
        />
      )}
      {panel === 'confirm' && (
        <ConfirmRow
          decision={decision}
          busy={sent !== undefined}
          off={cannotAllow}
          why={whyOff}
          onAllow={() => allow()}
          onClose={() => setPanel('actions')}
        />
      )}
      {panel === 'deny' && (
        <DenyPanel
          decision={decision}
          {...(isAppeal
            ? { note: 'The call stays refused. You cannot add a reason: the agent would not read it.' }
            : { label: 'Why not? The agent reads this (optional)', placeholder: 'Say what to do instead' })}
          confirm="Deny"
          sent={sent}
          off={cannotDeny}
          canStop
          onDeny={(message, stop) =>
            send({
              kind: 'deny',
              digest: ask.digest,
              ...(message.trim() !== '' && { message }),
              ...(stop && { interrupt: true }),
            })
          }
          onClose={() => setPanel('actions')}
        />
      )}
      {panel === 'edit' && (
        <EditPanel
          ask={ask}
          decision={decision}
          busy={sent !== undefined}
          off={cannotAllow}
          why={whyOff}
          onAllow={(input) => allow({ updatedInput: { ...input } })}
          onClose={() => setPanel('actions')}
        />
      )}
      {mayRemember && (
        <RememberDialog
          open={dialog === 'remember'}
          ask={ask}
          exact={whyNot === undefined ? remember : undefined}
          rules={mayMakeRule ? card.rules : undefined}
          decision={decision}
          busy={sent !== undefined}
          off={cannotAllow}
          why={whyOff}
          unseen={waitsToBeSeen}
          onRuleSeen={() => {
            // A person who has read the whole rule has read the command in it.
            const { command } = ask.context
            if (command !== undefined && remember?.rule.includes(command)) ends.mark('command')
          }}
          onAllow={(wanted) => {
            setDialog(undefined)
            allow({ remember: wanted })
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
      <MoreSheet
        open={dialog === 'more'}
        onClose={() => setDialog(undefined)}
        note={notOffered}
        choices={[
          { label: 'Edit…', hint: 'Change the input, then allow it', choose: () => setPanel('edit') },
          ...(mayRemember
            ? [
                {
                  label: 'Allow and remember…',
                  hint: 'See the exact rule first',
                  choose: () => setDialog('remember'),
                },
              ]
            : []),
        ]}
      />
    </CardFrame>
  )
}
