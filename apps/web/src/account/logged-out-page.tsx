import { Button, Spinner } from '@holdpoint/react/ui/button'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import { BrandMark } from '../parts/brand.tsx'
import { browserFacts } from '../push/push-place.ts'
import { LoginLinkField } from './login-link-field.tsx'

export interface LoggedOutPageProps {
  readonly loggingIn?: boolean
  readonly failure?: string | undefined
  /** The link that was opened was used already, is too old or not whole. */
  readonly isLinkSpent?: boolean | undefined
  /** The link may have been opened in another tab: both share one credential. */
  onRetry?(): void
}

export function LoggedOutPage({ loggingIn = false, failure, isLinkSpent = false, onRetry }: LoggedOutPageProps) {
  const { isInstalled } = browserFacts()
  return (
    <main className="grid h-dvh place-items-center overflow-y-auto p-6">
      <div className="w-full max-w-md">
        <BrandMark className="size-10 text-accent" />
        <h1 className="mt-5 text-2xl font-semibold tracking-tight">Holdpoint</h1>
        {loggingIn ? (
          <p role="status" className="mt-3 flex items-center gap-3 text-quiet">
            <Spinner /> Logging in…
          </p>
        ) : (
          <>
            {failure !== undefined && (
              <p
                role="alert"
                className="mt-4 rounded-lg border border-deny-line bg-deny-bg px-3 py-2 text-sm text-deny"
              >
                {failure}
              </p>
            )}
            {isLinkSpent && (
              <div role="alert" className="mt-4 rounded-lg border border-wait-line bg-wait-bg px-3 py-2 text-sm">
                <p className="font-medium text-wait">This link does not work.</p>
                <p className="mt-0.5">
                  A link works once, and for five minutes. It was opened before, perhaps in another tab or by an app
                  that shows previews, or it is too old, or a part of it is missing. Get a new one:
                </p>
              </div>
            )}
            <p className="mt-3 text-quiet">
              {!isLinkSpent && 'This browser is not logged in. '}Press Enter in the terminal where Holdpoint runs, and
              open the link that it prints.
            </p>
            <p className="mt-3 text-quiet">No terminal? This prints a link (it needs HOLDPOINT_TOKEN):</p>
            <div className="mt-2 flex items-center justify-between gap-2 rounded-lg border border-line bg-code py-1.5 pr-1.5 pl-4">
              <code className="font-mono text-sm">npx holdpoint login</code>
              <CopyButton text="npx holdpoint login" label="Copy the command" />
            </div>
            <p className="mt-4 text-sm text-quiet">
              {isInstalled
                ? 'Or open Devices in a browser that is logged in, and copy the link of Pair a device.'
                : 'On a phone, open Devices in a browser that is logged in and scan the code it shows.'}
            </p>
            {isInstalled && <LoginLinkField />}
            {onRetry && (
              <Button onClick={onRetry} className="mt-5">
                I opened the link in another tab
              </Button>
            )}
          </>
        )}
      </div>
    </main>
  )
}
