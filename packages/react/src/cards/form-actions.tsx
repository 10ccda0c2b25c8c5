import type { Ask } from '@holdpoint/schema/ask'
import { ExternalLink } from 'lucide-react'
import { ArmedButton } from '../arming/arming.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import type { Answering } from './answer-frame.tsx'
import { AnswerHint } from './answer-hint.tsx'

interface FormActionsProps {
  readonly ask: Ask
  readonly answering: Answering
  /** There is nothing to submit yet. */
  readonly unready?: boolean
  onSubmit(): void
}

export function FormActions({ ask, answering, unready = false, onSubmit }: FormActionsProps) {
  const { arming, sent, off, cannotSend, hint, unseen, why, send } = answering
  const missing = unready ? 'Not filled in yet' : undefined
  const { form } = ask
  return (
    <ActionRow arming={arming} hint={<AnswerHint text={hint ?? missing} unseen={unseen} className="pb-2" />}>
      <ArmedButton
        variant="quiet"
        off={off && sent?.kind !== 'cancel'}
        why={why}
        busy={sent?.kind === 'cancel'}
        onPress={() => send({ kind: 'cancel', digest: ask.digest })}
      >
        Cancel
      </ArmedButton>
      <ArmedButton
        variant="deny"
        off={off && sent?.kind !== 'decline'}
        why={why}
        busy={sent?.kind === 'decline'}
        onPress={() => send({ kind: 'decline', digest: ask.digest })}
        className={WIDE_ON_PHONE}
      >
        Decline
      </ArmedButton>
      <Spacer />
      {form?.mode === 'url' && isWebAddress(form.url) && (
        <ArmedButton
          icon={ExternalLink}
          off={cannotSend}
          why={why}
          onPress={() => window.open(form.url, '_blank', 'noopener,noreferrer')}
          className={WIDE_ON_PHONE}
        >
          Open
        </ArmedButton>
      )}
      <ArmedButton
        variant="primary"
        off={(cannotSend || unready) && sent?.kind !== 'submit'}
        why={why ?? missing}
        busy={sent?.kind === 'submit'}
        onPress={onSubmit}
        className={WIDE_ON_PHONE}
      >
        {form?.mode === 'url' ? 'Done' : 'Submit'}
      </ArmedButton>
    </ActionRow>
  )
}

/** Only the web's own addresses can be opened; anything else stays text. */
function isWebAddress(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
