/** Why the buttons below cannot be pressed yet. */
export function AnswerHint({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p className="pb-2 text-[13px] text-wait">{text}</p>
}
