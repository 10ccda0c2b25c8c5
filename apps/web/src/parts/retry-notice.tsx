import { Button } from '@holdpoint/react/ui/button'
import { RotateCw } from 'lucide-react'
import { Notice } from './notice.tsx'

/** What could not be read, with a button that tries again. */
export function RetryNotice({ message, again }: { message: string | undefined; again: () => void }) {
  return (
    <Notice
      tone="deny"
      role="alert"
      action={
        <Button icon={RotateCw} onClick={again}>
          Try again
        </Button>
      }
    >
      {message}
    </Notice>
  )
}
