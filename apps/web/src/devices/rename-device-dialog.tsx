import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Device } from '@holdpoint/schema/device'
import { RenameDialog } from '../parts/rename-dialog.tsx'

interface RenameDeviceDialogProps {
  readonly device: Device
  onRenamed(name: string): void
  onClose(): void
}

/** Another name for a device, in the list and beside every answer that it gives from now on. */
export function RenameDeviceDialog({ device, onRenamed, onClose }: RenameDeviceDialogProps) {
  const client = useClient()
  return (
    <RenameDialog
      title="Rename this device"
      label="Name"
      hint="It is shown beside every answer that the device gives. Earlier answers keep the old name."
      name={device.name}
      maxLength={120}
      rename={(name) => client.renameDevice(device.id, name)}
      onRenamed={onRenamed}
      onClose={onClose}
    />
  )
}
