import type { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import type { paths } from '../paths.ts'
import { accountEndpoints } from './account.ts'
import { askEndpoints } from './asks.ts'
import { attachmentEndpoints } from './attachments.ts'
import { folderEndpoints } from './folders.ts'
import { historyEndpoints } from './history.ts'
import { machineEndpoints } from './machines.ts'
import { notificationEndpoints } from './notifications.ts'
import { policyEndpoints } from './policy.ts'
import { retentionEndpoints } from './retention.ts'
import { ruleEndpoints } from './rules.ts'
import { sessionEndpoints } from './sessions.ts'
import { systemEndpoints } from './system.ts'
import { terminalEndpoints } from './terminals.ts'
import { timeLimitEndpoints } from './time-limits.ts'
import { transcriptEndpoints } from './transcripts.ts'
import { turnEndpoints } from './turns.ts'
import { usageEndpoints } from './usage.ts'

/** The native API, by the names of `paths`. */
const endpoints = {
  asks: askEndpoints,
  sessions: sessionEndpoints,
  turns: turnEndpoints,
  account: accountEndpoints,
  folders: folderEndpoints,
  attachments: attachmentEndpoints,
  terminals: terminalEndpoints,
  transcripts: transcriptEndpoints,
  rules: ruleEndpoints,
  history: historyEndpoints,
  usage: usageEndpoints,
  policy: policyEndpoints,
  retention: retentionEndpoints,
  timeLimits: timeLimitEndpoints,
  notifications: notificationEndpoints,
  machines: machineEndpoints,
  system: systemEndpoints,
} satisfies { readonly [Group in keyof typeof paths]: EndpointsOf<(typeof paths)[Group]> }

type Values<Group> = Group[keyof Group]
type AnyEndpoint = Values<{ [Group in keyof typeof endpoints]: Values<(typeof endpoints)[Group]> }>

/** One entry of `paths`. */
export type EndpointPath = Pick<AnyEndpoint, 'method' | 'path'>
type AddressOf<At extends EndpointPath> = `${At['method']} ${At['path']}`
/** A look-up by name: comparing each call with every endpoint took most of the time of a type check. */
type ByAddress = { [Each in AnyEndpoint as AddressOf<Each>]: Each }
type EndpointAt<At extends EndpointPath> = ByAddress[AddressOf<At> & keyof ByAddress]

type ParameterIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type ParamsOf<At extends EndpointPath> = [ParameterIn<At['path']>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Readonly<Record<ParameterIn<At['path']>, string>> }

type QueryOf<Contract> = Contract extends { readonly query: infer Query }
  ? { readonly query?: z.input<Query> }
  : { readonly query?: undefined }

type BodyOf<Contract> = Contract extends { readonly body: infer Body }
  ? { readonly body: z.input<Body> }
  : Contract extends { readonly raw: readonly string[] }
    ? { readonly body: Blob }
    : { readonly body?: undefined }

/** What a client sends to an endpoint. */
export type CallInput<At extends EndpointPath> = ParamsOf<At> & QueryOf<EndpointAt<At>> & BodyOf<EndpointAt<At>>

type JsonOf<Reply> = Reply extends z.ZodType ? z.output<Reply> : undefined

/** What a success says. `undefined` where it says nothing, or no JSON. */
export type ReplyOf<At extends EndpointPath> = Values<{
  [Status in keyof EndpointAt<At>['replies']]: JsonOf<EndpointAt<At>['replies'][Status]>
}>
