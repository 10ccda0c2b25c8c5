import { VisibleText } from '@holdpoint/react/text/visible-text'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Heading } from './page.tsx'

export interface ThreadHeaderProps {
  readonly back: { readonly href: string; readonly label: string; readonly className: string }
  readonly title: string
  /** On one line below the title. */
  readonly facts: ReactNode
  /** Beside the title. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

/** The header of a page that is one thread: the way back, the title, and what is known about it. */
export function ThreadHeader({ back, title, facts, actions, children }: ThreadHeaderProps) {
  return (
    <header className="shrink-0 border-b border-line bg-bg pt-[env(safe-area-inset-top)]">
      <div className="flex min-h-14 items-center gap-2 px-2 desk:min-h-15 desk:px-6">
        <Link
          href={back.href}
          aria-label={back.label}
          className={`flex size-11 shrink-0 items-center justify-center rounded-lg text-quiet focus-visible:outline-2 focus-visible:outline-accent ${back.className}`}
        >
          <ArrowLeft aria-hidden className="size-5" />
        </Link>
        <div className="min-w-0 flex-1">
          <Heading className="truncate text-base! leading-tight desk:text-lg!">
            <VisibleText text={title} />
          </Heading>
          <p className="mt-0.5 flex min-w-0 items-center gap-1.5 text-xs text-quiet">{facts}</p>
        </div>
        {actions}
      </div>
      {children}
    </header>
  )
}
