import { IconButton } from '@holdpoint/react/ui/icon-button'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

/** Copies, and says that it did. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        label={label}
        onClick={() => {
          // Refused without a secure context; the text beside the button can be selected by hand.
          void navigator.clipboard?.writeText(text).then(
            () => setCopied(true),
            () => {},
          )
        }}
      />
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </>
  )
}
