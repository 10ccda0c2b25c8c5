import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { CallAction } from '@holdpoint/schema/call-action'
import type { NewRule, PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { RuleId } from '@holdpoint/schema/id'
import type { Verdict } from '@holdpoint/schema/policy'
import { useState } from 'react'
import { Field, INPUT } from '../parts/field.tsx'
import { useReply } from './use-reply.ts'
import { VerdictView } from './verdict-view.tsx'

type Trial = 'command' | 'read' | 'write' | 'fetch'

const TRIALS: readonly { readonly trial: Trial; readonly label: string; readonly placeholder: string }[] = [
  { trial: 'command', label: 'Run a command', placeholder: 'git status && rm x' },
  { trial: 'read', label: 'Read a file', placeholder: 'src/main.ts' },
  { trial: 'write', label: 'Change a file', placeholder: 'src/main.ts' },
  { trial: 'fetch', label: 'Fetch a URL', placeholder: 'https://example.com/' },
]

interface TryItProps {
  /** The folder that the call is made in, until somebody names another. */
  readonly folder: string
  /** A rule that is not saved yet, and which it would replace. */
  readonly draft?: { readonly rule: NewRule; readonly id?: RuleId | undefined }
  /** The rules as they were last read: a verdict on others is not left standing. */
  readonly policy?: PolicyState
}

/** What the rules would say of a call. Nothing runs. */
export function TryIt({ folder, draft, policy }: TryItProps) {
  const client = useClient()
  const [trial, setTrial] = useState<Trial>('command')
  const [text, setText] = useState('')
  const [cwd, setCwd] = useState(folder)
  const [tried, setTried] = useState<{ readonly verdict: Verdict } | { readonly why: string }>()
  const call = {
    agent: draft && draft.rule.agent !== '*' ? draft.rule.agent : 'claude',
    cwd,
    action: actionOf(trial, text),
  }
  const wanted = text.trim() === '' ? undefined : JSON.stringify({ call, draft })
  useReply(
    wanted,
    async () => {
      if (!draft) return client.policy.explain(call)
      const { rule, id } = draft
      const checked = await client.policy.check({ rule, ...(id && { id }), call })
      if (!checked.ok) return checked
      const { verdict, problem = '' } = checked.value
      return verdict ? { ok: true, value: verdict } : { ok: false, message: problem }
    },
    (result) => setTried(result.ok ? { verdict: result.value } : { why: result.message }),
    policy,
  )
  const placeholder = TRIALS.find((each) => each.trial === trial)?.placeholder
  return (
    <div className="flex flex-col gap-3">
      <Field label="Try it" hint="See what the rules decide about a call. Nothing runs.">
        {(control) => (
          <div className="flex flex-wrap gap-2">
            <select
              aria-label="What to try"
              value={trial}
              onChange={(event) => setTrial(event.target.value as Trial)}
              className={`${INPUT} basis-full sm:max-w-44`}
            >
              {TRIALS.map(({ trial: value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
            <input
              {...control}
              value={text}
              onChange={(event) => setText(event.target.value)}
              placeholder={placeholder}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              className={`${INPUT} flex-1 basis-52 font-mono`}
            />
          </div>
        )}
      </Field>
      {text.trim() !== '' && (
        <>
          <Field label="In this folder">
            {(control) => (
              <input
                {...control}
                value={cwd}
                onChange={(event) => setCwd(event.target.value)}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                className={`${INPUT} font-mono`}
              />
            )}
          </Field>
          {tried && 'verdict' in tried && <VerdictView verdict={tried.verdict} />}
          {tried && 'why' in tried && (
            <p role="alert" className="text-[13px] text-deny">
              {tried.why}
            </p>
          )}
        </>
      )}
    </div>
  )
}

function actionOf(trial: Trial, text: string): CallAction {
  switch (trial) {
    case 'command':
      return { type: 'command', command: text }
    case 'fetch':
      return { type: 'fetch', url: text.trim() }
    case 'read':
    case 'write':
      return { type: 'file', use: trial, path: text.trim() }
    default:
      return trial satisfies never
  }
}
