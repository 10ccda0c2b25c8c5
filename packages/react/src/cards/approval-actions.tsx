import type { Answer } from '@holdpoint/schema/answer'
import { Ellipsis } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { ArmedButton, type Arming, useArming } from '../arming/arming.tsx'
import { isInSight } from '../arming/in-sight.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { isTyping } from '../ui/typing.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import { AnswerHint } from './answer-hint.tsx'

interface ApprovalActionsProps {
  readonly arming: Arming
  /** Why an allow has to wait. */
  readonly hint: string | undefined
  /** It has to wait because not all was on screen to its end. */
  readonly unseen: boolean
  /** Why nothing can be done here; the card says it. */
  readonly blocked: string | undefined
  readonly opensOnNo: boolean
  readonly sent: Answer | undefined
  readonly cannotAllow: boolean
  readonly cannotDeny: boolean
  readonly cannotChange: boolean
  /** Why there is no "Allow and remember". */
  readonly notOffered: string | undefined
  onAllow(): void
  onDeny(): void
  /** Left out where the call cannot be changed. */
  onEdit?(): void
  onMore?(): void
  onRemember?(): void
}

/** Desktop: Deny… Edit, then remember and allow. Phone: Deny… and Allow once, large, the rest behind "More…". */
export function ApprovalActions(props: ApprovalActionsProps) {
  const {
    arming,
    hint,
    unseen,
    blocked,
    opensOnNo,
    sent,
    cannotAllow,
    cannotDeny,
    cannotChange,
    onEdit,
    onMore,
    onRemember,
  } = props
  const deny = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const button = deny.current
    // Never taken from where the person is: a card must not catch what they type. And never to what nobody can see: in a
    // long list the next key would act on a card far below.
    if (opensOnNo && button && isInSight(button) && document.activeElement === document.body && !isTyping())
      button.focus({ preventScroll: true })
  }, [opensOnNo])
  const remembering = sent?.kind === 'allow' && sent.remember !== undefined
  return (
    <ActionRow arming={arming} hint={<AnswerHint text={hint} unseen={unseen} className="pb-1 sm:hidden" />}>
      {onMore && (
        <IconButton
          icon={Ellipsis}
          label="More…"
          onClick={onMore}
          className="border border-line sm:hidden"
          off={cannotChange || sent !== undefined}
        />
      )}
      <Button
        ref={deny}
        variant={opensOnNo ? 'primary' : 'deny'}
        off={cannotDeny || sent !== undefined}
        why={blocked}
        onClick={props.onDeny}
        aria-keyshortcuts="d"
        className={WIDE_ON_PHONE}
      >
        Deny…
      </Button>
      {onEdit && (
        <Button
          variant="quiet"
          off={cannotChange || sent !== undefined}
          why={blocked ?? hint}
          onClick={onEdit}
          aria-keyshortcuts="e"
          className="max-sm:hidden"
        >
          Edit
        </Button>
      )}
      {/* As wide as there is room: it must not push the buttons into another line. */}
      <span className="hidden min-w-0 flex-1 justify-end text-right sm:flex">
        <AnswerHint text={hint} unseen={unseen} className="justify-end" />
      </span>
      {props.notOffered !== undefined && (
        <span className="min-w-32 grow-9 basis-0 text-right text-xs text-faint max-sm:hidden">{props.notOffered}</span>
      )}
      {onRemember && (
        <Button
          off={cannotChange || sent !== undefined}
          why={blocked ?? hint}
          busy={remembering}
          onClick={onRemember}
          aria-keyshortcuts="r"
          className="max-sm:hidden"
        >
          Allow and remember…
        </Button>
      )}
      <ArmedButton
        variant={opensOnNo ? 'plain' : 'primary'}
        off={cannotAllow || remembering}
        why={blocked ?? hint}
        busy={sent?.kind === 'allow' && !remembering}
        onPress={props.onAllow}
        aria-keyshortcuts="a"
        className={WIDE_ON_PHONE}
      >
        {opensOnNo ? 'Allow once…' : 'Allow once'}
      </ArmedButton>
    </ActionRow>
  )
}

interface ConfirmRowProps {
  readonly decision: string
  readonly busy: boolean
  readonly off: boolean
  /** Why it is off. */
  readonly why: string | undefined
  onAllow(): void
  onClose(): void
}

/** The second press that an ask which opens on No takes. */
export function ConfirmRow({ decision, busy, off, why, onAllow, onClose }: ConfirmRowProps) {
  const arming = useArming(decision)
  return (
    <ActionRow
      arming={arming}
      hint={<p className="pb-2 text-[13px] text-wait">This is marked as high risk (default: No). Allow anyway?</p>}
    >
      <Spacer />
      <Button
        // The pressed button is gone: the focus goes to the harmless one.
        autoFocus
        onClick={onClose}
        className={WIDE_ON_PHONE}
      >
        Back
      </Button>
      <ArmedButton variant="primary" off={off} why={why} busy={busy} onPress={onAllow} className={WIDE_ON_PHONE}>
        Allow once
      </ArmedButton>
    </ActionRow>
  )
}
