import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { StartSession } from '@holdpoint/schema/session'
import { ChevronRight } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useIsOwner, useMe } from '../account/me.tsx'
import { AttachButton } from '../attachments/attach-button.tsx'
import { AttachmentChips } from '../attachments/attachment-chips.tsx'
import { useAttachments } from '../attachments/use-attachments.ts'
import { MachineSelect } from '../machines/machine-select.tsx'
import { machineToStart, whyNoSession } from '../machines/machine-words.ts'
import { useMachineChoice } from '../machines/use-machine-choice.ts'
import { Choice } from '../parts/choice.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Field } from '../parts/field.tsx'
import { ModelSelect, ModelWords } from '../parts/model-select.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { preferences, setPreferences } from '../parts/preferences.ts'
import { Switch } from '../parts/switch.tsx'
import { agentWords } from '../text/agent-words.ts'
import { COMMON_MODES, needsConfirmation, OTHER_MODES } from '../text/permission-modes.ts'
import { AS_SET, limitOf } from '../time-limits/limit-choice.ts'
import { LimitFields } from '../time-limits/limit-fields.tsx'
import { useLimitAsSet } from '../time-limits/use-limit-as-set.ts'
import { BudgetField, budgetFailure, budgetOf } from '../usage/budget-field.tsx'
import { FolderField } from './folder-field.tsx'
import { StartRow } from './start-row.tsx'
import { TrustDialog } from './trust-dialog.tsx'
import { useFocusAtStart } from './use-focus-at-start.ts'
import { useFolder } from './use-folder.ts'
import { useModels } from './use-models.ts'
import { useStartSession } from './use-start-session.ts'
import { whatIsMissing } from './what-is-missing.ts'
import { WithoutAskingDialog } from './without-asking-dialog.tsx'

const OWN_DEFAULT = 'The agent’s default'

const choiceOf = ({ mode, name, meaning }: (typeof COMMON_MODES)[number]) => ({
  value: mode,
  label: name,
  hint: meaning,
})

export function NewSessionPage() {
  const isOwner = useIsOwner()
  const isEmbedded = useMe()?.agents.length === 0
  if (isOwner && !isEmbedded) return <NewSessionForm />
  return (
    <Page title="New session">
      <Notice>
        {isEmbedded
          ? 'This Holdpoint is part of another program: only that program starts agents.'
          : 'Only an owner can start sessions. This browser is not an owner.'}
      </Notice>
    </Page>
  )
}

function NewSessionForm() {
  const me = useMe()
  const [kept] = useState(() => preferences().machine)
  const { machines, chosen: machine, choose } = useMachineChoice((all) => machineToStart(all, kept))
  const agents = machine?.agents ?? me?.agents ?? ['claude', 'demo']
  const [wanted, setWanted] = useState('claude')
  const agent = agents.includes(wanted) ? wanted : agents[0]
  const [typed, setTyped] = useState('')
  const [mode, setMode] = useState<PermissionMode>('default')
  const [everything, setEverything] = useState(false)
  const [limitChoice, setLimitChoice] = useState(AS_SET)
  const limit = limitOf(limitChoice)
  const [budget, setBudget] = useState('')
  const [prompt, setPrompt] = useState('')
  const [asksTrust, setAsksTrust] = useState(false)
  const attachments = useAttachments()
  const check = useFolder(typed, machine?.id)
  const asSet = useLimitAsSet(check.state === 'found' ? check.path : undefined)
  const { start, busy, failure } = useStartSession()
  const models = useModels(agent, machine?.id)
  const [model, setModel] = useState('')
  const [isConfirming, setIsConfirming] = useState(false)
  const [wasTried, setWasTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const places = {
    machine: useRef<HTMLSelectElement>(null),
    folder: useRef<HTMLInputElement>(null),
    message: useRef<HTMLTextAreaElement>(null),
    budget: useRef<HTMLInputElement>(null),
  }
  useFocusAtStart(places.folder)
  // The demo works in a scratch folder of its own.
  const needsFolder = agent !== 'demo'
  const missing = whatIsMissing({
    whyNotThere: machine && whyNoSession(machine),
    agent,
    folder: needsFolder ? check : undefined,
    prompt,
    budgetIsWrong: budgetFailure(budget) !== undefined,
    filesAreOnTheirWay: attachments.busy,
  })
  const folderRefused = failure?.code === 'unknown_folder' ? failure.message : undefined

  const gate = everything ? 'everything' : 'default'
  const options: Partial<StartSession> = {
    ...(agent !== undefined && { agent }),
    ...(machine && { node: machine.id }),
    prompt,
    permissionMode: mode,
    ...(model.trim() !== '' && { model: model.trim() }),
    gate,
    ...(budget.trim() !== '' && { budget: budgetOf({ usd: budget }) }),
    ...(limit && { askTimeoutMs: limit.afterMs, onTimeout: limit.onTimeout }),
    ...(needsFolder && check.state === 'found' && { cwd: check.path }),
    ...(attachments.ids.length > 0 && { attachments: attachments.ids }),
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    if (missing) goToMissing()
    else if (needsConfirmation(mode, gate)) setIsConfirming(true)
    else trustOrBegin()
  }

  function trustOrBegin() {
    setIsConfirming(false)
    if (needsFolder && check.state === 'found' && !check.trusted) setAsksTrust(true)
    else void begin(options)
  }

  function goToMissing() {
    setWasTried(true)
    if (missing && missing.part !== 'files') places[missing.part].current?.focus()
  }

  async function begin(given: Partial<StartSession>) {
    if (machine) setPreferences({ machine: machine.id })
    await start(given)
  }

  return (
    <Page title="New session">
      <form ref={form} onSubmit={onSubmit} className="flex flex-col gap-5">
        {machine && (
          <MachineSelect
            ref={places.machine}
            machines={machines}
            value={machine}
            whyNot={whyNoSession}
            onChange={(next) => {
              choose(next)
              setModel('')
            }}
          />
        )}
        {agent === undefined ? (
          <Notice>No agents can be started on this machine.</Notice>
        ) : (
          <Choice
            legend="Agent"
            name="agent"
            inline
            value={agent}
            options={agents.map((name) => ({ value: name, ...agentWords(name) }))}
            onChange={(next) => {
              setWanted(next)
              setModel('')
            }}
          />
        )}
        {needsFolder && (
          <FolderField
            ref={places.folder}
            typed={typed}
            check={check}
            machine={machine}
            refused={folderRefused}
            onChange={setTyped}
          />
        )}
        <Field label="First message">
          {(control) => (
            <div className="rounded-lg border border-line bg-card outline-accent focus-within:border-accent has-[textarea:focus-visible]:outline-1">
              <textarea
                {...control}
                ref={places.message}
                value={prompt}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
                  event.preventDefault()
                  form.current?.requestSubmit()
                }}
                onChange={(event) => setPrompt(event.target.value)}
                onPaste={(event) => {
                  if (event.clipboardData.files.length === 0) return
                  event.preventDefault()
                  attachments.add(event.clipboardData.files)
                }}
                rows={4}
                placeholder={needsFolder ? 'What should the agent do?' : 'Show me around'}
                className="field-sizing-content max-h-[50dvh] min-h-24 w-full resize-none bg-transparent px-3 pt-2.5 text-base outline-none placeholder:text-faint pointer-fine:text-sm"
              />
              <div className="flex flex-wrap items-center gap-2 px-1.5 pb-1.5">
                <AttachButton attachments={attachments} />
                <AttachmentChips attachments={attachments} />
              </div>
            </div>
          )}
        </Field>
        {needsFolder && (
          <Field label="Model" hint={<ModelWords models={models} value={model} />}>
            {({ id }) => <ModelSelect id={id} models={models} value={model} none={OWN_DEFAULT} onChange={setModel} />}
          </Field>
        )}
        <Choice legend="Mode" name="mode" value={mode} options={COMMON_MODES.map(choiceOf)} onChange={setMode} />
        <details className="group -mt-2">
          <summary className="inline-flex min-h-11 cursor-pointer items-center rounded-md text-sm text-quiet hover:text-ink focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8">
            <ChevronRight aria-hidden className="mr-1 size-4 transition-transform group-open:rotate-90" />
            Other modes
          </summary>
          <div className="mt-2">
            <Choice
              legend="Modes that ask less"
              name="mode"
              value={mode}
              options={OTHER_MODES.map(choiceOf)}
              onChange={setMode}
            />
          </div>
        </details>
        <Switch
          label="Ask for everything"
          hint="Also for read-only tools. You see every tool call before it runs, except those that a rule of yours allows."
          checked={everything}
          onChange={setEverything}
        />
        <LimitFields
          value={limitChoice}
          first={{ value: AS_SET.time, label: asSet === undefined ? 'As in Settings' : `As in Settings: ${asSet}` }}
          onChange={setLimitChoice}
        />
        <BudgetField ref={places.budget} value={budget} onChange={setBudget} />
        <FailureNotice why={folderRefused ? undefined : failure?.message} />
        <StartRow missing={missing} wasTried={wasTried} busy={busy} onOff={goToMissing} />
      </form>
      {isConfirming && (
        <WithoutAskingDialog
          folder={check.state === 'found' && needsFolder ? check.path : undefined}
          machine={machine}
          command={{ busy: false, failure: undefined }}
          onYes={trustOrBegin}
          onClose={() => setIsConfirming(false)}
        />
      )}
      {check.state === 'found' && (
        <TrustDialog
          open={asksTrust}
          folder={check.path}
          machine={machine}
          trust={check.trust}
          starts
          onClose={() => setAsksTrust(false)}
          onChoose={(trust) => {
            setAsksTrust(false)
            const digest = check.trust?.digest
            void begin({
              ...options,
              ...(trust && { trust: true, ...(digest !== undefined && { trustDigest: digest }) }),
            })
          }}
        />
      )}
    </Page>
  )
}
