import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RemoteView } from '../../parts/remote-view.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useCommand } from '../../parts/use-command.ts'
import { ChannelDialog } from './channel-dialog.tsx'
import { channelOf, draftOf } from './channel-draft.ts'
import { CHANNEL_TYPES } from './channel-words.ts'
import { DeliveryLine } from './delivery-line.tsx'
import type { NotificationsProps } from './device-notifications-panel.tsx'
import { TestButton } from './test-button.tsx'

type ListedChannel = NonNullable<Notifications['channels']>[number]

/** For owners: ways to tell people besides push. */
export function ChannelsPanel({ remote, again }: NotificationsProps) {
  const [editing, setEditing] = useState<ListedChannel | 'new'>()
  const [secret, setSecret] = useState<string>()
  return (
    <Panel title="Other channels">
      <p className="text-sm text-quiet">
        Notifications can also go to a webhook, a topic of ntfy or a chat of Telegram. Others may read them there:
        choose what they may say.
      </p>
      {secret !== undefined && <Secret secret={secret} onClose={() => setSecret(undefined)} />}
      <RemoteView remote={remote} again={again}>
        {({ channels = [], projects }) => (
          <>
            {channels.length > 0 && (
              <ul className="divide-y divide-line rounded-lg border border-line">
                {channels.map((channel) => (
                  <ChannelLine
                    key={channel.id}
                    channel={channel}
                    onEdit={() => setEditing(channel)}
                    onChanged={again}
                  />
                ))}
              </ul>
            )}
            {editing && (
              <ChannelDialog
                channel={editing === 'new' ? undefined : editing}
                projects={projects}
                onClose={() => setEditing(undefined)}
                onSaved={(made) => {
                  setEditing(undefined)
                  setSecret(made)
                  again()
                }}
              />
            )}
          </>
        )}
      </RemoteView>
      <div>
        <Button icon={Plus} onClick={() => setEditing('new')}>
          Add a channel
        </Button>
      </div>
    </Panel>
  )
}

function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <Notice tone="wait" role="status" action={<Button onClick={onClose}>I have copied it</Button>}>
      <p>This secret signs the messages. It is shown only now: give it to the program that gets them.</p>
      <p className="mt-2 flex items-center gap-2 text-ink">
        <code className="min-w-0 font-mono text-xs wrap-anywhere">{secret}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </p>
    </Notice>
  )
}

interface ChannelLineProps {
  readonly channel: ListedChannel
  onEdit(): void
  onChanged(): void
}

function ChannelLine({ channel, onEdit, onChanged }: ChannelLineProps) {
  const client = useClient()
  const command = useCommand()
  const { run, clear } = command
  const [isRemoving, setRemoving] = useState(false)
  const { id, name, enabled, target, state } = channel
  const shown = render(name)
  const showRemoval = (isShown: boolean) => {
    clear()
    setRemoving(isShown)
  }
  const { changeChannel, removeChannel } = client.notifications
  return (
    <li className="flex flex-col gap-3 px-3.5 py-3">
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1 text-[13px] text-quiet">
          <p className="text-sm font-medium text-ink">
            <VisibleText text={name} />
          </p>
          <p>
            {CHANNEL_TYPES[target.type].label}; <DeliveryLine state={state} />
          </p>
        </div>
        <IconButton icon={Pencil} label={`Edit ${shown}`} onClick={onEdit} />
        <IconButton icon={Trash2} label={`Remove ${shown}`} onClick={() => showRemoval(true)} />
      </div>
      <Switch
        label="In use"
        checked={enabled}
        onChange={(wanted) =>
          void run(changeChannel(id, { ...channelOf(draftOf(channel)), enabled: wanted })).then(onChanged)
        }
      />
      {!isRemoving && <FailureNotice why={command.failure} />}
      {enabled && <TestButton to={id} name={shown} onDone={onChanged} />}
      {isRemoving && (
        <ConfirmDialog
          title="Remove this channel?"
          no="Keep it"
          yes="Remove"
          command={command}
          onYes={() => void run(removeChannel(id)).then((done) => done && onChanged())}
          onClose={() => showRemoval(false)}
        >
          <VisibleText text={name} /> gets no more notifications, and escalations leave it out.
        </ConfirmDialog>
      )}
    </li>
  )
}
