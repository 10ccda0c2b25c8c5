/** Why the button of a dialog is off, beside it. */
export function WhyOff({ text }: { text: string }) {
  return <p className="self-center text-[13px] text-quiet max-sm:w-full sm:min-w-0 sm:flex-1">{text}</p>
}
