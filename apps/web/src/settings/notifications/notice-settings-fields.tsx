import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { NoticeContent, NoticeKind, NoticeSettings } from '@holdpoint/schema/notification'
import { CheckBox } from '../../parts/check-box.tsx'
import { Choice } from '../../parts/choice.tsx'
import { QuietHoursFields } from './quiet-hours-fields.tsx'

const KINDS: readonly { readonly kind: NoticeKind; readonly label: string; readonly hint: string }[] = [
  { kind: 'ask', label: 'Asks', hint: 'An agent waits for an answer.' },
  { kind: 'finished', label: 'Finished', hint: 'A session has ended.' },
  { kind: 'failed', label: 'Failed', hint: 'A session has ended with an error.' },
  { kind: 'message', label: 'Waiting for a message', hint: 'An agent is done and waits for what comes next.' },
  { kind: 'alarm', label: 'Alarms', hint: 'Something ran that is not what was approved.' },
]

const CONTENTS: readonly { readonly value: NoticeContent; readonly label: string; readonly hint: string }[] = [
  { value: 'nothing', label: 'Nothing', hint: 'Only that something waits.' },
  { value: 'names', label: 'Names', hint: 'The tool, the session and the project.' },
  { value: 'text', label: 'What is asked', hint: 'Also the command, with secrets masked.' },
]

export interface NoticeSettingsFieldsProps {
  readonly settings: NoticeSettings
  /** Folders of sessions that are open. */
  readonly projects: readonly string[]
  readonly contentLegend: string
  onChange(settings: NoticeSettings): void
}

/** Which notifications come, when, and what they say. */
export function NoticeSettingsFields({ settings, projects, contentLegend, onChange }: NoticeSettingsFieldsProps) {
  const change = (changes: Partial<NoticeSettings>) => onChange({ ...settings, ...changes })
  return (
    <>
      <fieldset>
        <legend className="mb-0.5 text-sm font-medium">Notify about</legend>
        {KINDS.map(({ kind, label, hint }) => (
          <CheckBox
            key={kind}
            label={label}
            hint={hint}
            checked={settings.kinds.includes(kind)}
            onChange={(isWanted) => change({ kinds: withOrWithout(settings.kinds, kind, isWanted) })}
          />
        ))}
      </fieldset>
      <ProjectFields
        chosen={settings.projects}
        projects={projects}
        onChange={(chosen) => {
          const { projects: _, ...rest } = settings
          onChange(chosen ? { ...rest, projects: [...chosen] } : rest)
        }}
      />
      <QuietHoursFields
        value={settings.quietHours}
        onChange={(quietHours) => {
          const { quietHours: _, ...rest } = settings
          onChange(quietHours ? { ...rest, quietHours } : rest)
        }}
      />
      <Choice
        legend={contentLegend}
        name="notice-content"
        value={settings.content}
        options={CONTENTS}
        onChange={(content) => change({ content })}
      />
    </>
  )
}

function withOrWithout<Value>(list: readonly Value[], value: Value, isWanted: boolean): Value[] {
  return isWanted ? [...list, value] : list.filter((each) => each !== value)
}

interface ProjectFieldsProps {
  readonly chosen: readonly string[] | undefined
  readonly projects: readonly string[]
  onChange(chosen: readonly string[] | undefined): void
}

/** All, or some of those that are open now or were chosen before. */
export function ProjectFields({ chosen, projects, onChange }: ProjectFieldsProps) {
  const listed = [...new Set([...projects, ...(chosen ?? [])])].sort()
  return (
    <div className="flex flex-col gap-2">
      <Choice
        legend="Projects"
        name="notice-projects"
        inline
        value={chosen ? 'some' : 'all'}
        options={[
          { value: 'all', label: 'All' },
          { value: 'some', label: 'Only some' },
        ]}
        onChange={(which) => onChange(which === 'all' ? undefined : [])}
      />
      {chosen && (
        <fieldset>
          <legend className="sr-only">Which projects</legend>
          {listed.map((project) => (
            <CheckBox
              key={project}
              label={<VisibleText text={project} code className="font-mono text-[13px]" />}
              checked={chosen.includes(project)}
              onChange={(isWanted) => onChange(withOrWithout(chosen, project, isWanted))}
            />
          ))}
          <p className="text-[13px] text-quiet">
            {listed.length === 0
              ? 'No session is open. Projects can be chosen while they have one.'
              : chosen.length === 0 && 'No project is chosen: nothing is sent.'}
          </p>
        </fieldset>
      )}
    </div>
  )
}
