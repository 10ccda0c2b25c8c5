import type { PushMessage } from '@holdpoint/schema/notification'
import { isOwnPath } from '../parts/own-path.ts'

/** As far as the worker needs it to be right. By hand: the library that checks it elsewhere is many times this worker. */
export function readPushMessage(text: string | undefined, origin: string): PushMessage | undefined {
  const message = parse(text)
  if (!message) return undefined
  const { tag, title, body, path, waiting, silent, replaces, to, receipt, deny, allow } = message
  if (!isText(tag) || !isText(title) || typeof body !== 'string' || !isDeviceId(to)) return undefined
  if (!isOwnPath(path, origin) || typeof silent !== 'boolean' || !isCount(waiting)) return undefined
  return {
    tag,
    title,
    body,
    path,
    waiting,
    silent,
    to,
    ...(Array.isArray(replaces) && { replaces: replaces.filter(isText) }),
    ...(isText(receipt) && { receipt }),
    ...(isText(deny) && { deny }),
    ...(isText(allow) && { allow }),
  }
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isDeviceId(value: unknown): value is PushMessage['to'] {
  return typeof value === 'string' && value.startsWith('dev_')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
