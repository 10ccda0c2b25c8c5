import { type Link, useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Age } from '@holdpoint/react/time/age'
import { ShieldAlert, WifiOff } from 'lucide-react'

/** Says that what is on the screen may be old, for as long as it may be, and when somebody else has taken the address. */
export function StaleBar() {
  const client = useClient()
  const link = useLink()
  if (link.state !== 'stale' && !link.notTheGateway) return null
  const [Icon, look] = link.notTheGateway
    ? ([ShieldAlert, 'border-deny-line bg-deny-bg text-deny'] as const)
    : ([WifiOff, 'border-wait-line bg-wait-bg text-wait'] as const)
  return (
    <div role="status" className={`flex min-h-9 items-center gap-2.5 border-b px-4 py-1 text-[13px] desk:px-8 ${look}`}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">{link.notTheGateway ? <NotTheGateway /> : <MayBeOld link={link} />}</p>
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

function NotTheGateway() {
  return (
    <>
      <strong className="font-semibold">Another program answers at this address, not your gateway.</strong> Nothing is
      sent to it. Do not reload. If a program of another user has taken the port: end it, close all tabs of Holdpoint,
      and open a new login link. If you have set up the gateway again: open a new login link.
    </>
  )
}

function MayBeOld({ link: { staleSince } }: { link: Link }) {
  return (
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
  )
}
