import type { SessionId } from '@holdpoint/schema/id'
import { useState } from 'react'
import { keepDraft, readDraft } from '../parts/draft.ts'
import type { LineComment } from './comment-text.ts'
import type { DiffPlace } from './diff-places.ts'

export interface Comments {
  readonly all: readonly LineComment[]
  add(given: DiffPlace & { readonly path: string; readonly comment: string }): void
  remove(id: string): void
  clear(): void
}

/** Comments that were not sent yet: drafts of the tab, like a message that is being written. */
export function useComments(sessionId: SessionId): Comments {
  const [all, setAll] = useState(() => read(sessionId))
  function change(next: readonly LineComment[]) {
    setAll(next)
    keepDraft(keyOf(sessionId), next.length === 0 ? '' : JSON.stringify(next))
  }
  return {
    all,
    add: ({ kind, text, oldNumber, newNumber, path, comment }) => {
      const place = {
        kind,
        text,
        ...(oldNumber !== undefined && { oldNumber }),
        ...(newNumber !== undefined && { newNumber }),
      }
      change([...all, { id: crypto.randomUUID(), path, comment, ...place }])
    },
    remove: (id) => change(all.filter((each) => each.id !== id)),
    clear: () => change([]),
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
