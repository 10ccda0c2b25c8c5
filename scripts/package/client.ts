// What `holdpoint/client` promises. Everything that is not named here may change without notice.
export { onWake } from '@holdpoint/client/browser-signals'
export { createGatewayClient, type GatewayClientOptions } from '@holdpoint/client/create-gateway-client'
export type {
  Folders,
  GatewayClient,
  GatewayState,
  LinkState,
  Me,
  Refused,
  Result,
  SettledAsk,
  Thread,
  ThreadState,
} from '@holdpoint/client/gateway-client'
export { createHttpTransport, type HttpTransportOptions } from '@holdpoint/client/http-transport'
export type {
  ApprovalEvent,
  DoneEvent,
  ErrorEvent,
  FormItem,
  FormPromptEvent,
  InteractionOutcome,
  InteractionSettledEvent,
  QuestionItem,
  QuestionOption,
  QuestionPromptEvent,
  SessionStatusEvent,
  StreamEvent,
  StreamEventType,
  TextDelta,
  ToolCallEvent,
} from '@holdpoint/client/stream-event'
export { ticketed } from '@holdpoint/client/ticketed'
export {
  type FaultCode,
  type FollowOptions,
  type InteractionOptions,
  type InteractionResult,
  type Transport,
  TransportFault,
  type Wire,
} from '@holdpoint/client/transport'
export type {
  PermissionMetadata,
  PermissionReply,
  PermissionRequest,
  PermissionSuggestion,
} from '@holdpoint/core/permission-request'
export type { Answer } from '@holdpoint/schema/answer'
export type { Ask } from '@holdpoint/schema/ask'
export type { Device } from '@holdpoint/schema/device'
export type { AskId, AttachmentId, DeviceId, ItemId, SessionId } from '@holdpoint/schema/id'
export type { Item } from '@holdpoint/schema/item'
export type { Outcome } from '@holdpoint/schema/outcome'
export type { Session } from '@holdpoint/schema/session'
