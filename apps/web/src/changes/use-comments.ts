import type { SessionId } from '@holdpoint/schema/id'
import { useEffect, useState } from 'react'
import { keepDraft, readDraft } from '../parts/draft.ts'
import type { LineComment } from './comment-text.ts'
import type { DiffPlace } from './diff-places.ts'

export interface Comments {
  readonly all: readonly LineComment[]
  add(given: DiffPlace & { readonly path: string; readonly comment: string }): void
  remove(gone: readonly LineComment[]): void
}

/** Comments that were not sent yet: drafts of the tab, like a message that is being written. */
export function useComments(sessionId: SessionId): Comments {
  const [all, setAll] = useState(() => read(sessionId))
  useEffect(() => keepDraft(keyOf(sessionId), all.length === 0 ? '' : JSON.stringify(all)), [sessionId, all])
  return {
    all,
    add: ({ kind, text, oldNumber, newNumber, path, comment }) => {
      const place = {
        kind,
        text,
        ...(oldNumber !== undefined && { oldNumber }),
        ...(newNumber !== undefined && { newNumber }),
      }
      const added = { id: crypto.randomUUID(), path, comment, ...place }
      setAll((before) => [...before, added])
    },
    remove: (gone) => setAll((before) => before.filter(({ id }) => !gone.some((each) => each.id === id))),
  }
}

const keyOf = (id: SessionId) => `${id}.comments` as SessionId

function read(sessionId: SessionId): readonly LineComment[] {
  try {
    return JSON.parse(readDraft(keyOf(sessionId)) || '[]') as LineComment[]
  } catch {
    return []
  }
}
