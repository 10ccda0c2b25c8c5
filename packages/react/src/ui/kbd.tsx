import type { ReactNode } from 'react'

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex min-w-5 items-center justify-center rounded border border-line bg-panel px-1 font-sans text-[11px] leading-4 text-quiet">
      {children}
    </kbd>
  )
}
