import { limitFor } from '@holdpoint/core/time-limits'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { useCallback } from 'react'
import { useRemote } from '../parts/use-remote.ts'
import { KIND_WORDS, limitWords } from './limit-words.ts'

/** The limit that a session in this folder gets if it says nothing itself. Undefined until it is known. */
export function useLimitAsSet(folder: string | undefined): string | undefined {
  const client = useClient()
  const { remote } = useRemote(useCallback(() => client.timeLimits(), [client]))
  if (remote.state !== 'ready') return undefined
  const { limits, ofGateway } = remote.value
  const place = folder === undefined ? {} : { project: folder }
  const inForce = ofGateway ? [...limits, ofGateway] : limits
  const wordsFor = (kind?: keyof typeof KIND_WORDS) =>
    limitWords(limitFor(inForce, { ...place, ...(kind && { kind }) }))
  const words = wordsFor()
  const differs = (Object.keys(KIND_WORDS) as (keyof typeof KIND_WORDS)[]).some((kind) => wordsFor(kind) !== words)
  return differs ? `depends on the kind of ask, otherwise ${words}` : words
}
