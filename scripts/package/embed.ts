// What `holdpoint/embed` promises. It runs in Node.
export {
  type GivenAnswer,
  givenAnswers,
  type InteractiveTool,
  submittedContent,
} from '@holdpoint/agents/claude/interactive-tool'
export type { Transport } from '@holdpoint/client/transport'
export { createHoldpoint } from '@holdpoint/embed/create-holdpoint'
export {
  type AttachedQuery,
  type EmbeddedSession,
  EmbedError,
  type EmbedErrorCode,
  type Holdpoint,
  type HoldpointOptions,
  type ListenAt,
  type Listening,
  type NewSessionOptions,
  type OnMessage,
  type PersonMessage,
  type QueryOptions,
  type ResumeOptions,
  type SessionHookEvent,
  type SessionHooks,
} from '@holdpoint/embed/holdpoint'
export type { SessionId } from '@holdpoint/schema/id'
export type { PermissionMode } from '@holdpoint/schema/permission-mode'
export type { Session } from '@holdpoint/schema/session'
