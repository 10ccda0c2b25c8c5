import type { ChannelType } from './channel-draft.ts'

export const CHANNEL_TYPES: Readonly<Record<ChannelType, { readonly label: string; readonly hint: string }>> = {
  webhook: { label: 'Webhook', hint: 'A signed message to a program of yours.' },
  ntfy: { label: 'ntfy', hint: 'A topic on ntfy.sh or on a server of your own.' },
  telegram: { label: 'Telegram', hint: 'A chat with a bot, which can also answer.' },
}
