import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { NavigationContext } from './navigation.ts'
import { usePageTitle } from './page-title.ts'

export interface PageProps {
  readonly title: string
  /** Beside the title. */
  readonly aside?: ReactNode
  readonly intro?: ReactNode
  readonly children: ReactNode
}

/** A page of reading width with its heading. */
export function Page({ title, aside, intro, children }: PageProps) {
  usePageTitle(title)
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pt-5 pb-12 desk:px-8 desk:pt-8">
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 pointer-fine:min-h-9">
        <Heading>{title}</Heading>
        {aside}
      </div>
      {intro && <p className="mt-1 text-sm text-quiet">{intro}</p>}
      <div className="mt-5 flex flex-col gap-4">{children}</div>
    </div>
  )
}

/** The page's one heading. After a navigation it takes the focus, so that a screen reader says where one is. */
export function Heading({ children, className = '' }: { children: ReactNode; className?: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const navigated = useContext(NavigationContext)
  useEffect(() => {
    if (navigated.current) heading.current?.focus()
  }, [navigated])
  return (
    <h1
      ref={heading}
      tabIndex={-1}
      className={`min-w-0 text-xl font-semibold tracking-tight outline-none desk:text-[1.375rem] ${className}`}
    >
      {children}
    </h1>
  )
}
