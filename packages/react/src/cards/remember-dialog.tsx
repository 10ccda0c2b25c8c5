import type { RememberRequest } from '@holdpoint/schema/answer'
import type { Ask, Remember } from '@holdpoint/schema/ask'
import { useState } from 'react'
import { ArmedArea, ArmedButton, useArming } from '../arming/arming.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { CodeBlock } from '../text/code-block.tsx'
import { EscapeWarning } from '../text/visible-text.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AnswerHint } from './answer-hint.tsx'
import type { RuleOffers } from './ask-card.tsx'
import { notCompared } from './remembering-words.ts'
import { type RuleChoice, useRuleChoice } from './rule-choice.ts'
import { RuleChoices } from './rule-choices.tsx'

interface RememberDialogProps {
  readonly open: boolean
  readonly ask: Ask
  /** What would be remembered of this very call; left out where that cannot be. */
  readonly exact: Remember | undefined
  /** Left out where no rules can be made. */
  readonly rules: RuleOffers | undefined
  /** Ask and digest. */
  readonly decision: string
  readonly busy: boolean
  readonly off: boolean
  /** Why it is off. */
  readonly why: string | undefined
  /** It is off because not all of the card was on screen to its end. */
  readonly unseen: boolean
  onAllow(remember: RememberRequest): void
  onClose(): void
  /** When the exact rule was on screen to its end. */
  onRuleSeen(): void
}

/** Shows exactly what would be allowed from now on, before it is. */
export function RememberDialog(props: RememberDialogProps) {
  const { open, ask, exact, rules, why, unseen, onClose, onRuleSeen } = props
  const choice = useRuleChoice(ask, open ? rules : undefined, exact !== undefined)
  const [isRuleSeen, setRuleSeen] = useState(false)
  const howToSee = useHowToSee()
  const isExact = choice.chosen === 'exact'
  const hint = isExact && !isRuleSeen ? `${howToSee} to allow` : 'Scroll the card to its end first'
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Allow and remember"
      footer={open && <Footer {...props} choice={choice} hint={unseen ? hint : why} />}
    >
      <div className="flex flex-col gap-3 text-sm">
        {rules && <RuleChoices choice={choice} rules={rules} hasExact={exact !== undefined} now={Date.now()} />}
        {exact && isExact && (
          <ExactRule
            ask={ask}
            rule={exact.rule}
            onSeen={() => {
              setRuleSeen(true)
              onRuleSeen()
            }}
          />
        )}
      </div>
    </Dialog>
  )
}

function ExactRule({ ask, rule, onSeen }: { ask: Ask; rule: string; onSeen: () => void }) {
  const run = ask.files?.filter(({ use }) => use === 'runs') ?? []
  return (
    <>
      <p>Allow this call now, and the same call without asking you until this session ends.</p>
      <CodeBlock text={rule} label="Rule" onEndSeen={onSeen} />
      <EscapeWarning texts={[rule]} />
      <p className="text-quiet">
        {notCompared(ask, run)} Any other call asks again. You can remove the rule under Rules.
      </p>
    </>
  )
}

type FooterProps = RememberDialogProps & { readonly choice: RuleChoice; readonly hint: string | undefined }

function Footer({ decision, busy, off, hint, choice, onAllow, onClose }: FooterProps) {
  // Another choice is another decision.
  const arming = useArming(`${decision} ${choice.key}`)
  return (
    <ArmedArea arming={arming} className="flex w-full flex-wrap items-center justify-end gap-2">
      <AnswerHint text={hint} className="max-sm:basis-full" />
      <Button variant="quiet" onClick={onClose}>
        Cancel
      </Button>
      <ArmedButton
        variant="primary"
        off={off || !choice.isReady}
        why={hint}
        busy={busy}
        onPress={() => onAllow(choice.wanted(Date.now()))}
        className="max-sm:flex-1"
      >
        Allow and remember
      </ArmedButton>
    </ArmedArea>
  )
}
