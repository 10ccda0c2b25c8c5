import { useEffect, useRef } from 'react'
import { Notice } from './notice.tsx'

/** Why the last command was refused; nothing where it was not. It comes into view: in a long dialog it is below the end. */
export function FailureNotice({ why, className }: { why: string | undefined; className?: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (why) box.current?.scrollIntoView({ block: 'nearest' })
  }, [why])
  if (!why) return null
  return (
    <div ref={box} className={`scroll-m-4 ${className ?? ''}`}>
      <Notice tone="deny" role="alert">
        {why}
      </Notice>
    </div>
  )
}
