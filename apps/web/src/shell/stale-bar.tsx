import { Age } from '@holdpoint/react/age'
import { useClient } from '@holdpoint/react/holdpoint-provider'
import { useLink } from '@holdpoint/react/use-link'
import { WifiOff } from 'lucide-react'

/** Says that what is on the screen may be old, for as long as it may be, and when somebody else has taken the address. */
export function StaleBar() {
  const client = useClient()
  const { state, staleSince, notTheGateway = false } = useLink()
  if (state !== 'stale' && !notTheGateway) return null
  return (
    <div
      role="status"
      className="flex min-h-9 items-center gap-2.5 border-b border-wait-line bg-wait-bg px-4 py-1 text-[13px] text-wait desk:px-8"
    >
      <WifiOff aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">
        {notTheGateway ? (
          'Something else answers at this address: it cannot prove to be your gateway. Nothing is sent to it. Do not reload this page while it is there; if you have set the gateway up anew, open a new login link.'
        ) : (
          <>
            {staleSince === undefined ? (
              'Not connected to the gateway.'
            ) : (
              <>
                Last heard from the gateway <Age since={staleSince} suffix=" ago" />.
              </>
            )}{' '}
            Reconnecting: what you see may be old.
          </>
        )}
      </p>
      <button
        type="button"
        onClick={() => client.reconnect()}
        className="min-h-11 shrink-0 rounded-md pointer-fine:min-h-7 px-2 font-semibold underline underline-offset-2 focus-visible:outline-2 focus-visible:outline-current"
      >
        Try now
      </button>
    </div>
  )
}
