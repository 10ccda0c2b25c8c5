// What `holdpoint/react` promises. Its styles are `holdpoint/react/styles.css`.
export { AskAnnouncer } from './cards/ask-announcer.tsx'
export { AskCard, type AskCardProps } from './cards/ask-card.tsx'
export { SettledAskLine } from './cards/ask-card-settled.tsx'
export { type Burst, BurstBar, useBurst } from './cards/burst-bar.tsx'
export { LiveAskCard, type LiveAskCardProps } from './cards/live-ask-card.tsx'
export { OutcomeLine } from './cards/outcome-line.tsx'
export { InteractiveToolCall, type InteractiveToolCallProps } from './chat/interactive-tool-call.tsx'
export { PermissionContext, type PermissionContextProps } from './chat/permission-context.tsx'
export { PermissionModal, type PermissionModalProps } from './chat/permission-modal.tsx'
export { QuestionPrompt, type QuestionPromptProps, type Settled } from './chat/question-prompt.tsx'
export { ToolApproval, type ToolApprovalProps } from './chat/tool-approval.tsx'
export {
  type ChatMessage,
  type ChatSession,
  type ChatState,
  type ToolCallState,
  useChatSession,
} from './chat/use-chat-session.tsx'
export { type Answering, useAnswering } from './hooks/use-answering.tsx'
export { useAsks } from './hooks/use-asks.tsx'
export { useGateway } from './hooks/use-gateway.tsx'
export { type Link, useLink } from './hooks/use-link.tsx'
export { type PermissionError, type Permissions, usePermissions } from './hooks/use-permissions.tsx'
export { useSession } from './hooks/use-session.tsx'
export { useSessions } from './hooks/use-sessions.tsx'
export { type LiveThread, useThread } from './hooks/use-thread.tsx'
export { useTransport } from './hooks/use-transport.tsx'
export {
  type CardContentProps,
  type CardEntry,
  CardsProvider,
  type FormValue,
  type QuestionValue,
} from './providers/cards-provider.tsx'
export { HoldpointProvider, useClient } from './providers/holdpoint-provider.tsx'
export { TransportProvider } from './providers/transport-provider.tsx'
export { Markdown, type MarkdownProps } from './text/markdown.tsx'
export { VisibleText, type VisibleTextProps } from './text/visible-text.tsx'
export { Age } from './time/age.tsx'
export { type SessionStatus, StatusDot, statusOf, statusWords } from './ui/session-status.tsx'
