import type { ReactNode } from 'react'
import { Notice } from '../../parts/notice.tsx'

/** On an iPhone or iPad only an app on the home screen gets notifications. */
export function AppleSteps() {
  return (
    <Notice tone="wait">
      <p className="font-medium">
        An iPhone or iPad notifies only for apps on the home screen. To put Holdpoint there:
      </p>
      <Steps>
        <li>Open this address in Safari.</li>
        <li>
          Tap the <b>Share</b> button (the square with an arrow).
        </li>
        <li>
          Choose <b>Add to Home Screen</b>, then <b>Add</b>.
        </li>
        <li>
          Open Holdpoint from the home screen and log in there once more: the app has a login of its own. On your
          computer, open <b>Devices</b>, then <b>Pair a device</b>, copy the link to the phone, and paste it into the
          app. Do not open it in Safari: it works once.
        </li>
        <li>
          Come back to <b>Settings</b> in that app, switch notifications on, and tap <b>Allow</b>.
        </li>
      </Steps>
      <p className="mt-2">It needs iOS or iPadOS 16.4 or newer.</p>
    </Notice>
  )
}

/** Android needs no installation. What keeps notifications away there is not ours to change. */
export function AndroidSteps() {
  return (
    <details className="rounded-lg border border-line px-3.5 py-2 text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center font-medium pointer-fine:min-h-7">
        If notifications come late on this phone
      </summary>
      <Steps>
        <li>
          Install Holdpoint: in the browser’s menu, choose <b>Add to home screen</b>, then <b>Install</b>. It then has
          its own entry in Android’s notification settings.
        </li>
        <li>
          In Android’s settings, under <b>Apps</b>, open your browser (or Holdpoint) and see that <b>Notifications</b>{' '}
          are allowed.
        </li>
        <li>
          There, under <b>Battery</b>, choose <b>Unrestricted</b>: some phones stop apps that are not in use.
        </li>
      </Steps>
    </details>
  )
}

function Steps({ children }: { children: ReactNode }) {
  return <ol className="mt-2 flex list-decimal flex-col gap-1 pl-5">{children}</ol>
}
