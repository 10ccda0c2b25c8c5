import { Button } from '@holdpoint/react/ui/button'

export interface MoreButtonProps {
  readonly words: string
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly error: string | undefined
  loadMore(): void
}

/** Below a list that has more pages. */
export function MoreButton({ words, hasMore, isLoading, error, loadMore }: MoreButtonProps) {
  return (
    <>
      {error !== undefined && (
        <p role="alert" className="text-sm text-deny">
          {error}
        </p>
      )}
      {hasMore && <Button onClick={loadMore}>{isLoading ? 'Loading …' : words}</Button>}
    </>
  )
}
