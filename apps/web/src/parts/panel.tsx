import type { ReactNode } from 'react'

/** A group of settings under a heading. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
      <h2 className="mb-3 font-semibold">{title}</h2>
      <div className="flex flex-col gap-4">{children}</div>
    </section>
  )
}
