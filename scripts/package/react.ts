// What `holdpoint/react` promises. Its styles are `holdpoint/react/styles.css`.
import './styles.css'

export { Age } from '@holdpoint/react/age'
export { AskAnnouncer } from '@holdpoint/react/ask-announcer'
export { AskCard, type AskCardProps } from '@holdpoint/react/ask-card'
export { SettledAskLine } from '@holdpoint/react/ask-card-settled'
export { type Burst, BurstBar, useBurst } from '@holdpoint/react/burst-bar'
export {
  type CardContentProps,
  type CardEntry,
  CardsProvider,
  type FormValue,
  type QuestionValue,
} from '@holdpoint/react/cards-provider'
export { HoldpointProvider, useClient } from '@holdpoint/react/holdpoint-provider'
export { InteractiveToolCall, type InteractiveToolCallProps } from '@holdpoint/react/interactive-tool-call'
export { LiveAskCard, type LiveAskCardProps } from '@holdpoint/react/live-ask-card'
export { Markdown, type MarkdownProps } from '@holdpoint/react/markdown'
export { OutcomeLine } from '@holdpoint/react/outcome-line'
export { PermissionContext, type PermissionContextProps } from '@holdpoint/react/permission-context'
export { PermissionModal, type PermissionModalProps } from '@holdpoint/react/permission-modal'
export { QuestionPrompt, type QuestionPromptProps, type Settled } from '@holdpoint/react/question-prompt'
export { type SessionStatus, StatusDot, statusOf, statusWords } from '@holdpoint/react/session-status'
export { ToolApproval, type ToolApprovalProps } from '@holdpoint/react/tool-approval'
export { TransportProvider } from '@holdpoint/react/transport-provider'
export { type Answering, useAnswering } from '@holdpoint/react/use-answering'
export { useAsks } from '@holdpoint/react/use-asks'
export {
  type ChatMessage,
  type ChatSession,
  type ChatState,
  type ToolCallState,
  useChatSession,
} from '@holdpoint/react/use-chat-session'
export { useGateway } from '@holdpoint/react/use-gateway'
export { type Link, useLink } from '@holdpoint/react/use-link'
export { type PermissionError, type Permissions, usePermissions } from '@holdpoint/react/use-permissions'
export { useSession } from '@holdpoint/react/use-session'
export { useSessions } from '@holdpoint/react/use-sessions'
export { type LiveThread, useThread } from '@holdpoint/react/use-thread'
export { useTransport } from '@holdpoint/react/use-transport'
export { VisibleText, type VisibleTextProps } from '@holdpoint/react/visible-text'
