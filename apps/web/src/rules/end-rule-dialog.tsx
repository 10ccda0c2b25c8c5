import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { RuleId } from '@holdpoint/schema/id'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { EFFECTS, scopeWords } from './rule-words.ts'
import { type Rules, useRules } from './use-rules.ts'

interface EndRuleDialogProps {
  readonly id: RuleId
  onClose(): void
}

/** Shows what ends before it ends: of a rule that asks or denies, more runs without it. */
export function EndRuleDialog({ id, onClose }: EndRuleDialogProps) {
  const client = useClient()
  const { remote, again } = useRules()
  const { run, busy, failure } = useCommand()
  const found = remote.state === 'ready' ? findRule(remote.value, id) : undefined
  const mayRemove = found !== undefined && found.source !== 'file'
  function remove() {
    const removed = found?.source === 'session' ? client.removeRule(id) : client.policy.remove(id)
    void run(removed).then((done) => done && onClose())
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove this rule?"
      footer={
        <>
          <Button onClick={onClose}>{mayRemove ? 'Keep it' : 'Close'}</Button>
          {mayRemove && (
            <Button variant="deny" busy={busy} onClick={remove}>
              Remove
            </Button>
          )}
        </>
      }
    >
      <RemoteView remote={remote} again={again}>
        {() =>
          found ? (
            <div className="flex flex-col gap-2 text-sm">
              <p className="font-mono text-[13px] wrap-anywhere">
                <VisibleText text={found.text} code />
              </p>
              <p className="text-quiet">{found.meaning}</p>
            </div>
          ) : (
            <p className="text-sm">This rule does not exist any more. It was removed or has ended with its session.</p>
          )
        }
      </RemoteView>
      <FailureNotice why={failure} className="mt-3" />
    </Dialog>
  )
}

function findRule({ policy, remembered }: Rules, id: RuleId) {
  const rule = policy.rules.find((each) => each.id === id)
  if (rule) {
    const { label } = EFFECTS[rule.effect]
    return {
      source: 'app' as const,
      text: rule.pattern,
      meaning: `${label}, ${scopeWords(rule.scope)}. ${AFTERWARDS[rule.effect]}`,
    }
  }
  const written = policy.file.rules.find((each) => each.id === id)
  if (written) {
    const meaning = `This rule is in ${policy.file.path}. Remove it there.`
    return { source: 'file' as const, text: written.pattern, meaning }
  }
  const kept = remembered.find((each) => each.id === id)
  return kept && { source: 'session' as const, text: kept.rule, meaning: AFTERWARDS.allow }
}

const AFTERWARDS = {
  allow: 'Without it, such calls ask again from now on. Calls that have already run are not undone.',
  ask: 'Without it, such calls may run without asking you from now on.',
  deny: 'Without it, such calls may run from now on.',
} as const
