import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './icon-button.tsx'

export interface CopyButtonProps {
  readonly text: string
  readonly label: string
  readonly className?: string
}

/** Copies, and says that it did. */
export function CopyButton({ text, label, className = '' }: CopyButtonProps) {
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
        className={className}
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

/** For the line above a block of code. */
export function CopyInLine({ text, label }: CopyButtonProps) {
  return <CopyButton text={text} label={label} className="-my-2 -mr-2.5 pointer-fine:-my-1.5" />
}
