import { Notice } from './notice.tsx'

/** Why the last command was refused; nothing where it was not. */
export function FailureNotice({ why, className }: { why: string | undefined; className?: string }) {
  if (!why) return null
  return (
    <div className={className}>
      <Notice tone="deny" role="alert">
        {why}
      </Notice>
    </div>
  )
}
