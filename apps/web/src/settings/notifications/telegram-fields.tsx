import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Device } from '@holdpoint/schema/device'
import { Plus, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { Field, INPUT } from '../../parts/field.tsx'
import { RemoteView } from '../../parts/remote-view.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useRemote } from '../../parts/use-remote.ts'
import type { ChannelDraft, Sender } from './channel-draft.ts'
import { TextField } from './text-field.tsx'

interface TelegramFieldsProps {
  readonly draft: ChannelDraft
  onChange(changes: Partial<ChannelDraft>): void
}

export function TelegramFields({ draft, onChange }: TelegramFieldsProps) {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.devices(), [client]))
  return (
    <>
      <TextField
        label="Token of the bot"
        hint="From @BotFather."
        value={draft.secret}
        onChange={(secret) => onChange({ secret })}
      />
      <TextField
        label="Number of the chat"
        hint="Write to the bot, or to a group that it is in, then read message.chat.id at https://api.telegram.org/bot<token>/getUpdates."
        value={draft.chatId}
        onChange={(chatId) => onChange({ chatId })}
      />
      <RemoteView remote={remote} again={again}>
        {(devices) => (
          <Senders
            senders={draft.senders}
            devices={devices.filter(({ role }) => role === 'owner' || role === 'approver')}
            onChange={(senders) => onChange({ senders })}
          />
        )}
      </RemoteView>
      <Switch
        label="Allow button"
        hint="Messages get a button that allows a short command. Only the people above can use it. Telegram can read and could press it."
        checked={draft.mayAllow}
        onChange={(mayAllow) => onChange({ mayAllow })}
      />
    </>
  )
}

interface SendersProps {
  readonly senders: readonly Sender[]
  readonly devices: readonly Device[]
  onChange(senders: readonly Sender[]): void
}

/** Who may answer in the chat. Their answers count as those of a paired device, with its rights. */
function Senders({ senders, devices, onChange }: SendersProps) {
  const [first] = devices
  const change = (at: number, changes: Partial<Sender>) =>
    onChange(senders.map((sender, index) => (index === at ? { ...sender, ...changes } : sender)))
  return (
    <fieldset>
      <legend className="mb-0.5 text-sm font-medium">Who may answer in the chat</legend>
      <p className="mb-2 text-[13px] text-quiet">
        Each by the number of their Telegram account (message.from.id at the same address). Their answers count as those
        of a paired device, with its rights. Nobody else’s answers count.
      </p>
      <ul className="flex flex-col gap-3">
        {senders.map((sender, at) => (
          <li key={at} className="flex flex-wrap items-end gap-2">
            <div className="min-w-32 flex-1">
              <TextField label="Account" value={sender.userId} onChange={(userId) => change(at, { userId })} />
            </div>
            <div className="min-w-32 flex-1">
              <Field label="Counts as">
                {(control) => (
                  <select
                    {...control}
                    value={sender.deviceId}
                    onChange={(event) => {
                      const chosen = devices.find(({ id }) => id === event.target.value)
                      if (chosen) change(at, { deviceId: chosen.id })
                    }}
                    className={INPUT}
                  >
                    {!devices.some(({ id }) => id === sender.deviceId) && (
                      <option value={sender.deviceId}>a device that is gone</option>
                    )}
                    {devices.map(({ id, name, role }) => (
                      <option key={id} value={id}>
                        {render(name)} ({role})
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            </div>
            <IconButton
              icon={Trash2}
              label="Remove this person"
              onClick={() => onChange(senders.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ul>
      {first && (
        <Button icon={Plus} className="mt-2" onClick={() => onChange([...senders, { userId: '', deviceId: first.id }])}>
          Add a person
        </Button>
      )}
    </fieldset>
  )
}
