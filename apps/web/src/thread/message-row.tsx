import { Markdown } from '@holdpoint/react/text/markdown'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import type { MessageItem } from '@holdpoint/schema/item'
import { AttachedFiles } from './attached-files.tsx'

export function MessageRow({ item }: { item: MessageItem }) {
  if (item.role === 'assistant') {
    return (
      <div className="group relative">
        <Markdown text={item.text} copyable />
        <CopyMessage text={item.text} />
      </div>
    )
  }
  return (
    <div className="group relative flex flex-col items-end">
      <div className="max-w-[88%] rounded-2xl rounded-br-md bg-accent-bg px-4 py-2.5">
        <p className="text-sm leading-relaxed whitespace-pre-wrap wrap-anywhere">
          <VisibleText text={item.text} multiline />
        </p>
        <AttachedFiles ids={item.attachments} className="size-20" />
      </div>
      <CopyMessage text={item.text} />
    </div>
  )
}

/** Under the message for fingers; with a mouse or a keyboard on its upper edge, when it is wanted. */
function CopyMessage({ text }: { text: string }) {
  return (
    <div className="flex pointer-coarse:-mb-2 pointer-coarse:-ml-3 pointer-fine:absolute pointer-fine:-top-4 pointer-fine:right-0 pointer-fine:rounded-lg pointer-fine:border pointer-fine:border-line pointer-fine:bg-card pointer-fine:opacity-0 pointer-fine:group-focus-within:opacity-100 pointer-fine:group-hover:opacity-100">
      <CopyButton text={text} label="Copy the message" className="text-faint" />
    </div>
  )
}
