import { Markdown } from '@holdpoint/react/text/markdown'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { CopyButton } from '@holdpoint/react/ui/copy-button'
import type { AttachmentId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import { FileText } from 'lucide-react'
import { useAttachment } from '../attachments/use-attachment.ts'

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
        {item.attachments && item.attachments.length > 0 && (
          <ul className="mt-2 flex flex-wrap gap-2">
            {item.attachments.map((id) => (
              <li key={id}>
                <AttachmentThumbnail id={id} />
              </li>
            ))}
          </ul>
        )}
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

/** A picture, or the sign of a file where it is none. A picture opens in a tab of its own, anything else is saved. */
function AttachmentThumbnail({ id, className = 'size-20' }: { id: AttachmentId; className?: string }) {
  const attachment = useAttachment(id)
  const isPicture = attachment?.isPicture === true
  return (
    <a
      href={attachment?.url}
      {...(isPicture ? { target: '_blank', rel: 'noreferrer noopener' } : { download: true })}
      aria-label="Open the attachment"
      className={`flex items-center justify-center overflow-hidden rounded-lg border border-line bg-card focus-visible:outline-2 focus-visible:outline-accent ${className}`}
    >
      {isPicture ? (
        <img src={attachment.url} alt="" className="size-full object-cover" />
      ) : (
        <FileText aria-hidden className="size-6 text-quiet" />
      )}
    </a>
  )
}
