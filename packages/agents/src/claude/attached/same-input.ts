import { resolve } from 'node:path'
import { canonicalJson } from '@holdpoint/schema/json'

/**
 * Whether the input in a transcript, which is as the model wrote it, is the one that a person is asked about: Claude Code
 * makes paths absolute, leaves out `cd <cwd> &&`, and turns numbers in strings into numbers.
 */
export function isSameInput(asked: unknown, written: unknown, cwd: string): boolean {
  if (canonicalJson(asked) === canonicalJson(written)) return true
  return isAlike(asked, written, cwd)
}

function isAlike(asked: unknown, written: unknown, cwd: string): boolean {
  if (typeof written === 'string') return isSameText(asked, written, cwd)
  if (typeof asked !== 'object' || typeof written !== 'object' || asked === null || written === null)
    return asked === written
  const [one, other] = [asked as Record<string, unknown>, written as Record<string, unknown>]
  // What the model left out, or put in though the tool knows no such field, is nothing that tells two calls apart.
  const shared = Object.keys(one).filter((key) => Object.hasOwn(other, key))
  return shared.length > 0 && shared.every((key) => isAlike(one[key], other[key], cwd))
}

function isSameText(asked: unknown, written: string, cwd: string): boolean {
  if (typeof asked !== 'string') return String(asked) === written
  if (asked === written || asked === resolve(cwd, written)) return true
  const prefix = `cd ${cwd} && `
  return written.startsWith(prefix) && written.slice(prefix.length) === asked
}
