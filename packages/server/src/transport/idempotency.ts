import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Device } from '@holdpoint/schema/device'
import { type ItemId, idOfHash, type SessionId } from '@holdpoint/schema/id'

export function idempotencyKeyOf(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const key = request.headers['idempotency-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

export interface RepeatableIds {
  readonly session: SessionId
  readonly message: ItemId
}

/**
 * Ids for what a call makes, from its credential and key: repeated, after a lost reply or a restart, it names the same
 * ones, and the record knows that they are there.
 */
export function repeatableIds(call: {
  readonly device: Device
  readonly request: Pick<IncomingMessage, 'headers'>
}): RepeatableIds | undefined {
  const key = idempotencyKeyOf(call.request)
  if (key === undefined) return undefined
  const hash = createHash('sha256').update(`${call.device.id}\n${key}`).digest()
  return { session: idOfHash('ses', hash), message: idOfHash('itm', hash) }
}
