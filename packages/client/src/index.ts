// What `holdpoint/client` promises. Everything that is not named here may change without notice.

export type {
  PermissionMetadata,
  PermissionReply,
  PermissionRequest,
  PermissionSuggestion,
} from '@holdpoint/core/permission-request'
export type { Answer } from '@holdpoint/schema/answer'
export type { Ask } from '@holdpoint/schema/ask'
export type { Device } from '@holdpoint/schema/device'
export type { Me } from '@holdpoint/schema/endpoints/account'
export type { Folders } from '@holdpoint/schema/endpoints/folders'
export type { AskId, AttachmentId, DeviceId, ItemId, SessionId } from '@holdpoint/schema/id'
export type { Item } from '@holdpoint/schema/item'
export type { Outcome } from '@holdpoint/schema/outcome'
export type { Session } from '@holdpoint/schema/session'
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
} from '@holdpoint/schema/turn-stream'
export { onWake } from './browser-signals.ts'
export { createGatewayClient, type GatewayClientOptions } from './create-gateway-client.ts'
export type {
  GatewayClient,
  GatewayState,
  LinkState,
  Refused,
  Result,
  SettledAsk,
  Thread,
  ThreadState,
} from './gateway-client.ts'
export { createHttpTransport, type HttpTransportOptions } from './http-transport.ts'
export { ticketed } from './ticketed.ts'
export {
  type FaultCode,
  type FollowOptions,
  type InteractionOptions,
  type InteractionResult,
  type Transport,
  TransportFault,
  type Wire,
} from './transport.ts'
