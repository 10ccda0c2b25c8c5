import { useClient } from '@holdpoint/react/holdpoint-provider'
import { useGateway } from '@holdpoint/react/use-gateway'
import { MoreButton } from '../parts/more-button.tsx'
import { usePages } from '../parts/use-pages.ts'
import { settle } from '../parts/use-remote.ts'
import { SessionRow } from './session-row.tsx'

/** Ended sessions that the gateway names by itself; those before them are read when they are wanted. */
const NAMED = 200
/** Before the first page. */
const START = ''

/** The sessions that ended so long ago that the list above does not have them. */
export function EarlierSessions() {
  const client = useClient()
  const known = useGateway((state) => state.sessions)
  const hasEarlier = [...known.values()].filter(({ state }) => state === 'dead').length >= NAMED
  const { entries, hasMore, isLoading, error, loadMore } = usePages({
    first: [],
    next: START,
    read: async (next) => {
      const page = await settle(client.endedSessions(next === START ? undefined : next))
      return page.ok ? { ok: true, value: { entries: page.value.sessions, next: page.value.nextBefore } } : page
    },
  })
  const earlier = entries.filter(({ id }) => !known.has(id))
  return (
    <div className="mt-4 flex flex-col gap-2 px-2.5">
      {earlier.length > 0 && (
        <section>
          <h2 className="mb-1 text-xs font-semibold text-faint">Earlier</h2>
          <ul className="-mx-2.5 flex flex-col gap-0.5">
            {earlier.map((session) => (
              <li key={session.id}>
                <SessionRow session={session} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {hasEarlier && <MoreButton words="Show earlier sessions" {...{ hasMore, isLoading, error, loadMore }} />}
    </div>
  )
}
