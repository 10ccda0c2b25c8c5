import { useState } from 'react'

export type PageResult<Entry> =
  | { readonly ok: true; readonly value: { readonly entries: readonly Entry[]; readonly next: string | undefined } }
  | { readonly ok: false; readonly message: string }

/** A list that is read page by page, each when the person asks for it. */
export function usePages<Entry>(options: {
  readonly first: readonly Entry[]
  /** What gives the page after the first; left out when there is none. */
  readonly next: string | undefined
  read(next: string): Promise<PageResult<Entry>>
}) {
  const [more, setMore] = useState<readonly Entry[]>([])
  const [next, setNext] = useState(options.next)
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<string>()

  async function loadMore() {
    if (next === undefined || isLoading) return
    setLoading(true)
    setError(undefined)
    const page = await options.read(next)
    setLoading(false)
    if (!page.ok) return setError(page.message)
    setMore([...more, ...page.value.entries])
    setNext(page.value.next)
  }
  return {
    entries: [...options.first, ...more],
    hasMore: next !== undefined,
    isLoading,
    error,
    loadMore: () => void loadMore(),
  }
}
