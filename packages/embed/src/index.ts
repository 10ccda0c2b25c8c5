// What `holdpoint/embed` promises. It runs in Node.
export {
  type GivenAnswer,
  givenAnswers,
  type InteractiveTool,
  submittedContent,
} from '@holdpoint/agents/claude/asks/interactive-tool'
export type { Transport } from '@holdpoint/client/transport'
export type { SessionId } from '@holdpoint/schema/id'
export type { PermissionMode } from '@holdpoint/schema/permission-mode'
export type { Session } from '@holdpoint/schema/session'
export { createHoldpoint } from './create-holdpoint.ts'
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
} from './holdpoint.ts'
