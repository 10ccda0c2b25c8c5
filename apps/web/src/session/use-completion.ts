import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { FoundFiles } from '@holdpoint/schema/endpoints/sessions'
import type { SessionId } from '@holdpoint/schema/id'
import type { OfferedCommand } from '@holdpoint/schema/offers'
import { useEffect, useId, useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import { completingAt, fittingCommands, mentionOf } from './completion.ts'

export interface CompletionOption {
  readonly key: string
  /** What it stands for: a command or a path. */
  readonly shown: string
  readonly hint?: string
  readonly description?: string
  /** What is put into the message. Undefined where it cannot be: `why` says so. */
  readonly inserts: string | undefined
  readonly why?: string
}

/** Characters of it are on the way; asking for each of them would be in vain. */
const PAUSE_MS = 80
const MOST_SHOWN = 50
const NO_OPTIONS: readonly CompletionOption[] = []

/** The list of what may be meant at the cursor: commands of the agent, files of the session's folder. */
export function useCompletion(sessionId: SessionId, text: string, cursor: number | undefined) {
  const id = useId()
  const completing = cursor === undefined ? undefined : completingAt(text, cursor)
  const [dismissed, setDismissed] = useState<string>()
  const [active, setActive] = useState({ of: '', at: 0 })
  const place = completing && `${completing.kind} ${completing.from}`
  const typed = completing?.typed ?? ''
  const commands = useCommands(sessionId, completing?.kind === 'command' ? typed : undefined)
  const files = useFiles(sessionId, completing?.kind === 'file' ? typed : undefined)
  const isClosed = place === undefined || dismissed === place
  const options = isClosed ? NO_OPTIONS : completing?.kind === 'command' ? commands : files.options
  // Where something else is typed, the first one is the likeliest again.
  const of = `${place} ${typed}`
  const at = active.of === of ? Math.min(active.at, options.length - 1) : 0
  if (place === undefined && dismissed !== undefined) setDismissed(undefined)

  return {
    id,
    completing,
    options,
    isOpen: options.length > 0,
    /** The list has more than was looked at. */
    isPartial: completing?.kind === 'file' && files.isPartial,
    at,
    optionId: (index: number) => `${id}-${index}`,
    move: (step: number) => setActive({ of, at: (at + step + options.length) % options.length }),
    dismiss: () => setDismissed(place),
  }
}
export type Completion = ReturnType<typeof useCompletion>

function useCommands(sessionId: SessionId, typed: string | undefined): readonly CompletionOption[] {
  const client = useClient()
  const { state: link } = useLink()
  const [commands, setCommands] = useState<readonly OfferedCommand[]>([])
  const isWanted = typed !== undefined
  useEffect(() => {
    if (!isWanted || link !== 'live') return
    let isCurrent = true
    void settle(client.offers(sessionId)).then((result) => {
      // An agent that offers nothing, or does not answer now: what is typed is sent all the same.
      if (isCurrent) setCommands(result.ok ? result.value.commands : [])
    })
    return () => {
      isCurrent = false
    }
  }, [client, sessionId, isWanted, link])
  if (typed === undefined) return NO_OPTIONS
  return fittingCommands(commands, typed).slice(0, MOST_SHOWN).map(optionOf)
}

function optionOf({ name, argumentHint, description, ownerOnly }: OfferedCommand): CompletionOption {
  return {
    key: name,
    shown: `/${name}`,
    ...(argumentHint !== undefined && { hint: argumentHint }),
    ...(description !== undefined && { description }),
    inserts: ownerOnly ? undefined : `/${name}`,
    ...(ownerOnly && {
      why: 'Only an owner of all sessions may send it: it can change settings and files without asking.',
    }),
  }
}

interface Files {
  readonly options: readonly CompletionOption[]
  readonly isPartial: boolean
}
const NO_FILES: Files = { options: NO_OPTIONS, isPartial: false }

function useFiles(sessionId: SessionId, typed: string | undefined): Files {
  const client = useClient()
  const { state: link } = useLink()
  const [found, setFound] = useState<Files>(NO_FILES)
  useEffect(() => {
    if (typed === undefined || link !== 'live') {
      setFound(NO_FILES)
      return
    }
    let isCurrent = true
    const timer = setTimeout(async () => {
      const result = await settle(client.files(sessionId, typed))
      if (!isCurrent) return
      setFound(result.ok ? filesFor(typed, result.value) : NO_FILES)
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [client, sessionId, typed, link])
  return typed === undefined ? NO_FILES : found
}

/** None where a file is named in full: Enter sends then. A folder that is named in full is not offered again. */
function filesFor(typed: string, { files, isPartial }: FoundFiles): Files {
  if (files.includes(typed) && !typed.endsWith('/')) return NO_FILES
  return { options: files.filter((path) => path !== typed).map(fileOption), isPartial }
}

function fileOption(path: string): CompletionOption {
  const inserts = mentionOf(path)
  return {
    key: path,
    shown: path,
    inserts,
    ...(inserts === undefined && { why: 'Its name has characters that a message cannot show or hold.' }),
  }
}
