import type { Ask, Remember } from '@holdpoint/schema/ask'
import { useState } from 'react'
import { ArmedArea, ArmedButton, useArming } from '../arming/arming.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { CodeBlock } from '../text/code-block.tsx'
import { EscapeWarning } from '../text/visible-text.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { notCompared } from './remembering-words.ts'

interface RememberDialogProps {
  readonly open: boolean
  readonly ask: Ask & { readonly remember: Remember }
  /** Ask and digest. */
  readonly decision: string
  readonly busy: boolean
  readonly off: boolean
  /** It is off because not all of the card was on screen to its end. */
  readonly unseen: boolean
  onAllow(): void
  onClose(): void
  /** When the rule was on screen to its end. */
  onRuleSeen(): void
}

/** Shows the exact rule before it is made. */
export function RememberDialog(props: RememberDialogProps) {
  const { open, ask, unseen, onClose, onRuleSeen } = props
  const { rule } = ask.remember
  const [isRuleSeen, setRuleSeen] = useState(false)
  const howToSee = useHowToSee()
  const run = ask.files?.filter(({ use }) => use === 'runs') ?? []
  const hint = isRuleSeen ? 'Scroll the card to its end first' : `${howToSee} to allow`
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Allow and remember"
      footer={open && <Footer {...props} hint={unseen ? hint : undefined} />}
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>Allow this call now, and the same call without asking you until this session ends.</p>
        <CodeBlock
          text={rule}
          label="Rule"
          onEndSeen={() => {
            setRuleSeen(true)
            onRuleSeen()
          }}
        />
        <EscapeWarning texts={[rule]} />
        <p className="text-quiet">
          {notCompared(ask, run)} Any other call asks again. You can remove the rule under Rules.
        </p>
      </div>
    </Dialog>
  )
}

function Footer({ decision, busy, off, hint, onAllow, onClose }: RememberDialogProps & { hint: string | undefined }) {
  const arming = useArming(decision)
  return (
    <ArmedArea arming={arming} className="flex w-full flex-wrap items-center justify-end gap-2">
      {hint !== undefined && <span className="text-[13px] text-wait max-sm:basis-full">{hint}</span>}
      <Button variant="quiet" onClick={onClose}>
        Cancel
      </Button>
      <ArmedButton variant="primary" off={off} busy={busy} onPress={onAllow} className="max-sm:flex-1">
        Allow and remember
      </ArmedButton>
    </ArmedArea>
  )
}
