import { type ReactNode, useId, useRef } from 'react'
import { useKeepFocus } from './use-keep-focus.ts'

/** A group of settings under a heading. It takes the focus when what had it in there is removed. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  const section = useRef<HTMLElement>(null)
  const heading = useId()
  useKeepFocus(section)
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-labelledby={heading}
      className="rounded-xl border border-line bg-card p-4 shadow-card focus-visible:outline-2 focus-visible:outline-accent sm:p-5"
    >
      <h2 id={heading} className="mb-3 font-semibold">
        {title}
      </h2>
      <div className="flex flex-col gap-4">{children}</div>
    </section>
  )
}
