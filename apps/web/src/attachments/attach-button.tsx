import { IconButton } from '@holdpoint/react/ui/icon-button'
import { Paperclip } from 'lucide-react'
import { useRef } from 'react'
import { ACCEPT } from './attachment-rules.ts'
import type { Attachments } from './use-attachments.ts'

export function AttachButton({ attachments }: { attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPT}
        onChange={(event) => {
          attachments.add(event.target.files ?? [])
          // The same file can be chosen again after it was removed.
          event.target.value = ''
        }}
      />
      <IconButton icon={Paperclip} label="Attach files" onClick={() => input.current?.click()} />
    </>
  )
}
