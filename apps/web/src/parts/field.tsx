import { type ReactNode, useId } from 'react'

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  /** Announced, and tied to the control. */
  readonly failure?: ReactNode
  children(control: { id: string; 'aria-describedby': string; 'aria-invalid': boolean | undefined }): ReactNode
}

/** A control with its label, what helps, and what is wrong with it. */
export function Field({ label, hint, failure, children }: FieldProps) {
  const id = useId()
  const note = `${id}-note`
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': note, 'aria-invalid': failure ? true : undefined })}
      <p
        id={note}
        aria-live="polite"
        className={`mt-1.5 min-h-5 text-[13px] empty:hidden ${failure ? 'text-deny' : 'text-quiet'}`}
      >
        {failure ?? hint}
      </p>
    </div>
  )
}

export const INPUT =
  'min-h-11 w-full min-w-0 rounded-lg border border-line bg-card px-3 text-base placeholder:text-faint focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-accent aria-invalid:border-deny pointer-fine:min-h-9.5 pointer-fine:text-sm'
