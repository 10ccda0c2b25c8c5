import { VisibleText } from '../text/visible-text.tsx'

/** That an answer did not get through, and why. */
export function SubmitError({ message }: { message: string }) {
  return (
    <div role="alert" className="rounded-lg bg-deny-bg px-3 py-1.5 text-[13px] text-deny">
      <VisibleText text={message} multiline />
    </div>
  )
}
