import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { useNow } from '@holdpoint/react/time/now'
import { Button } from '@holdpoint/react/ui/button'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { Device } from '@holdpoint/schema/device'
import { CircleCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Choice } from '../parts/choice.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Notice } from '../parts/notice.tsx'
import { useKeepFocus } from '../parts/use-keep-focus.ts'
import { settle } from '../parts/use-remote.ts'
import { countdown, isLoopback } from './pairing-words.ts'
import { QrCode } from './qr-code.tsx'
import { RenameDeviceDialog } from './rename-device-dialog.tsx'

type PairedRole = 'approver' | 'owner' | 'viewer'

const ROLES: readonly { value: PairedRole; label: string; hint: string }[] = [
  { value: 'approver', label: 'Approver', hint: 'Sees everything, answers asks and writes to agents.' },
  { value: 'viewer', label: 'Viewer', hint: 'Sees everything, answers nothing.' },
  { value: 'owner', label: 'Owner', hint: 'Also starts sessions, changes settings and pairs devices.' },
]

interface Pairing {
  readonly id: string
  readonly url: string
  readonly expiresAt: number
}

export function PairDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Pair a device">
      <PairSteps onDone={onClose} />
    </Dialog>
  )
}

function PairSteps({ onDone }: { onDone: () => void }) {
  const client = useClient()
  const [role, setRole] = useState<PairedRole>('approver')
  const [pairing, setPairing] = useState<Pairing>()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const steps = useRef<HTMLDivElement>(null)
  // The button of each step is gone in the next one.
  useKeepFocus(steps)

  async function pair() {
    setBusy(true)
    setFailure(undefined)
    const result = await settle(client.pair({ role }))
    setBusy(false)
    if (result.ok) setPairing(result.value)
    else setFailure(result.message)
  }

  return (
    <div
      ref={steps}
      tabIndex={-1}
      className="rounded-lg focus-visible:outline-2 focus-visible:outline-offset-8 focus-visible:outline-accent"
    >
      {pairing ? (
        <PairCode pairing={pairing} onAgain={() => setPairing(undefined)} onDone={onDone} />
      ) : (
        <RoleChoice role={role} busy={busy} failure={failure} onRole={setRole} onPair={() => void pair()} />
      )}
    </div>
  )
}

interface RoleChoiceProps {
  readonly role: PairedRole
  readonly busy: boolean
  readonly failure: string | undefined
  onRole(role: PairedRole): void
  onPair(): void
}

function RoleChoice({ role, busy, failure, onRole, onPair }: RoleChoiceProps) {
  return (
    <div className="flex flex-col gap-4">
      <Choice legend="What may it do?" name="role" value={role} options={ROLES} onChange={onRole} />
      <FailureNotice why={failure} />
      <div className="flex justify-end">
        <Button variant="primary" busy={busy} onClick={onPair}>
          Show the code
        </Button>
      </div>
    </div>
  )
}

/** Often enough for a person who looks from the phone to this page. */
const LOOK_EVERY_MS = 1500

/** The device that has used the code, once one has. */
function usePaired(id: string): Device | undefined {
  const client = useClient()
  const [device, setDevice] = useState<Device>()
  const isPaired = device !== undefined
  useEffect(() => {
    if (isPaired) return
    let current = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const result = await settle(client.pairing(id))
      if (!current) return
      if (result.ok && result.value.device) setDevice(result.value.device)
      else timer = setTimeout(() => void look(), LOOK_EVERY_MS)
    }
    void look()
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [client, id, isPaired])
  return device
}

function Paired({ device, onAgain, onDone }: { device: Device; onAgain: () => void; onDone: () => void }) {
  const [name, setName] = useState(device.name)
  const [isRenaming, setRenaming] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col items-center gap-2 py-4 text-center">
        <CircleCheck aria-hidden className="size-10 text-allow" />
        <p className="text-base">
          <strong>
            <VisibleText text={name} />
          </strong>{' '}
          is paired, as {device.role}.
        </p>
        <p className="text-sm text-quiet">Not your device? Then somebody else used the link: revoke it in the list.</p>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onAgain}>
          Pair another
        </Button>
        <Button onClick={() => setRenaming(true)}>Rename</Button>
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </div>
      {isRenaming && (
        <RenameDeviceDialog device={{ ...device, name }} onRenamed={setName} onClose={() => setRenaming(false)} />
      )}
    </div>
  )
}

function PairCode({ pairing, onAgain, onDone }: { pairing: Pairing; onAgain: () => void; onDone: () => void }) {
  const left = pairing.expiresAt - useNow()
  const paired = usePaired(pairing.id)
  return (
    <>
      <p role="status" className="sr-only">
        {paired && `${render(paired.name)} is paired`}
      </p>
      {paired ? (
        <Paired device={paired} onAgain={onAgain} onDone={onDone} />
      ) : (
        <Code pairing={pairing} left={left} onAgain={onAgain} onDone={onDone} />
      )}
    </>
  )
}

interface CodeProps {
  readonly pairing: Pairing
  readonly left: number
  onAgain(): void
  onDone(): void
}

function Code({ pairing, left, onAgain, onDone }: CodeProps) {
  if (left <= 0) {
    return (
      <Notice tone="wait" action={<Button onClick={onAgain}>Make a new one</Button>}>
        This code has expired.
      </Notice>
    )
  }
  return (
    <div className="flex flex-col gap-4">
      {isLoopback(pairing.url) ? (
        <Notice tone="wait">
          A phone cannot reach this address: Holdpoint listens on this machine only. Start it with{' '}
          <code className="whitespace-nowrap">--host</code> and <code className="whitespace-nowrap">--tls-cert</code>,
          or with <code className="whitespace-nowrap">--public-url</code> behind a tunnel or proxy (docs/operations.md).
          Another browser on this machine can use the link.
        </Notice>
      ) : (
        <div className="mx-auto w-full max-w-60 overflow-hidden rounded-xl border border-line">
          <QrCode text={pairing.url} label="A QR code of the pairing link" />
        </div>
      )}
      <div className="flex items-center gap-2 rounded-lg border border-line bg-code py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{pairing.url}</code>
        <CopyButton text={pairing.url} label="Copy the link" />
      </div>
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm text-quiet">
          Waiting for the device. The link works once, for <span className="tabular-nums">{countdown(left)}</span> more.
        </p>
        <Button onClick={onDone}>Close</Button>
      </div>
    </div>
  )
}
