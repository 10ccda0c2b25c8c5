import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import type { ChannelId, DeviceId } from '@holdpoint/schema/id'
import type { TestStep } from '@holdpoint/schema/notification'
import { Bell, Check, X } from 'lucide-react'
import { useState } from 'react'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { settle } from '../../parts/use-remote.ts'

const FOR_DEVICE = 'Waiting for the device to report, at most 15 seconds…'
const FOR_CHANNEL = 'Waiting for the other side to take it, at most 15 seconds…'

export interface TestButtonProps {
  readonly to: DeviceId | ChannelId
  /** For screen readers, where there are several. */
  readonly name?: string
  onDone?(): void
}

/** Sends a test notification and shows each step of its way. */
export function TestButton({ to, name, onDone }: TestButtonProps) {
  const client = useClient()
  const [isBusy, setBusy] = useState(false)
  const [steps, setSteps] = useState<readonly TestStep[]>()
  const [failure, setFailure] = useState<string>()
  async function test() {
    setBusy(true)
    setSteps(undefined)
    setFailure(undefined)
    const result = await settle(client.notifications.test(to))
    setBusy(false)
    if (result.ok) setSteps(result.value)
    else setFailure(result.message)
    onDone?.()
  }
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Button
          icon={Bell}
          busy={isBusy}
          aria-label={name && `Test notification to ${name}`}
          onClick={() => void test()}
        >
          Test notification
        </Button>
      </div>
      <div role="status">
        {isBusy && <p className="text-[13px] text-quiet">{to.startsWith('dev_') ? FOR_DEVICE : FOR_CHANNEL}</p>}
        {steps && <Steps steps={steps} />}
      </div>
      <FailureNotice why={failure} />
    </div>
  )
}

function Steps({ steps }: { steps: readonly TestStep[] }) {
  return (
    <ol className="flex flex-col gap-1.5 text-[13px]">
      {steps.map(({ step, ok, detail }) => (
        <li key={step} className="flex items-start gap-2">
          {ok ? (
            <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-allow" />
          ) : (
            <X aria-hidden className="mt-0.5 size-4 shrink-0 text-deny" />
          )}
          <span className="min-w-0 wrap-anywhere">
            <span className="font-medium">
              <VisibleText text={ok ? step : `not ${step}`} />:
            </span>
            <span className="text-quiet">
              {' '}
              <VisibleText text={detail} />
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}
