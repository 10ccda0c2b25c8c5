import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { Channel } from '@holdpoint/schema/notification'
import { useState } from 'react'
import { Choice } from '../../parts/choice.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { settle } from '../../parts/use-remote.ts'
import { type ChannelDraft, type ChannelType, channelOf, draftOf, isComplete } from './channel-draft.ts'
import { CHANNEL_TYPES } from './channel-words.ts'
import { NoticeSettingsFields } from './notice-settings-fields.tsx'
import { TelegramFields } from './telegram-fields.tsx'
import { TextField } from './text-field.tsx'
import { WhyOff } from './why-off.tsx'

const INCOMPLETE = 'Fill in the name and where to send to first.'
const TYPES = (Object.keys(CHANNEL_TYPES) as ChannelType[]).map((value) => ({ value, ...CHANNEL_TYPES[value] }))

export interface ChannelDialogProps {
  /** The one to edit; left out, a new one. */
  readonly channel: Channel | undefined
  readonly projects: readonly string[]
  onClose(): void
  /** `secret`: of a new webhook, and never shown again. */
  onSaved(secret: string | undefined): void
}

export function ChannelDialog({ channel, projects, onClose, onSaved }: ChannelDialogProps) {
  const client = useClient()
  const [draft, setDraft] = useState(() => draftOf(channel))
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const change = (changes: Partial<ChannelDraft>) => setDraft((before) => ({ ...before, ...changes }))
  const input = channelOf(draft)
  async function save() {
    setBusy(true)
    setFailure(undefined)
    const { addChannel, changeChannel } = client.notifications
    const saved = channel ? await settle(changeChannel(channel.id, input)) : await settle(addChannel(input))
    setBusy(false)
    if (!saved.ok) return setFailure(wordsOf(saved))
    onSaved(saved.value?.secret)
  }
  return (
    <Dialog
      open
      firm
      onClose={onClose}
      title={channel ? 'Edit channel' : 'Add a channel'}
      footer={
        <>
          {!isComplete(input) && <WhyOff text={INCOMPLETE} />}
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" busy={isBusy} off={!isComplete(input)} why={INCOMPLETE} onClick={() => void save()}>
            {channel ? 'Save' : 'Add the channel'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {!channel && (
          <Choice
            legend="Type"
            name="channel-type"
            value={draft.type}
            options={TYPES}
            onChange={(type) => change({ type })}
          />
        )}
        <TextField
          label="Name"
          hint="Cards and History show this name."
          value={draft.name}
          onChange={(name) => change({ name })}
        />
        <TargetFields draft={draft} isNew={!channel} onChange={change} />
        <NoticeSettingsFields
          settings={draft.settings}
          projects={projects}
          contentLegend="What it may say"
          onChange={(settings) => change({ settings })}
        />
        <FailureNotice why={failure} />
      </div>
    </Dialog>
  )
}

/** In one sentence what is wrong, and with which fields. */
function wordsOf({ message, issues = [] }: { readonly message: string; readonly issues?: readonly string[] }): string {
  return issues.length === 0 ? message : `${message.replace(/\.$/, '')}: ${issues.join('; ')}.`
}

interface TargetFieldsProps {
  readonly draft: ChannelDraft
  readonly isNew: boolean
  onChange(changes: Partial<ChannelDraft>): void
}

function TargetFields({ draft, isNew, onChange }: TargetFieldsProps) {
  if (draft.type === 'telegram') return <TelegramFields draft={draft} onChange={onChange} />
  if (draft.type === 'ntfy') {
    return (
      <>
        <TextField
          label="Server"
          hint="Such as https://ntfy.sh. Anybody who knows the topic can read what a public server gets."
          value={draft.server}
          onChange={(server) => onChange({ server })}
        />
        <TextField label="Topic" value={draft.topic} onChange={(topic) => onChange({ topic })} />
        <TextField
          label="Access token"
          hint="Only where the topic needs one."
          value={draft.secret}
          onChange={(secret) => onChange({ secret })}
        />
      </>
    )
  }
  return (
    <>
      <TextField
        label="Address"
        hint="Starts with https://. It gets a POST for each notification, signed as Standard Webhooks say."
        value={draft.url}
        onChange={(url) => onChange({ url })}
      />
      {!isNew && (
        <TextField
          label="Secret"
          hint="Leave it as it is to keep it."
          value={draft.secret}
          onChange={(secret) => onChange({ secret })}
        />
      )}
    </>
  )
}
