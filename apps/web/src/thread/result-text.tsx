import { CodeBlock } from '@holdpoint/react/text/code-block'
import { CopyInLine } from '@holdpoint/react/ui/copy-button'
import { AttachedFiles } from './attached-files.tsx'
import type { ToolResultItem } from './thread-rows.ts'

/** What a tool returned, with a note about what was left out. */
export function ResultText({ item }: { item: ToolResultItem }) {
  return (
    <>
      <AttachedFiles ids={item.attachments} className="h-48 max-w-full min-w-24" />
      {item.text === '' && <p className="text-[13px] text-quiet">No output.</p>}
      {item.text !== '' && !isPicturesAlone(item) && (
        <CodeBlock text={item.text} label="Output" action={<CopyInLine text={item.text} label="Copy the output" />} />
      )}
      {item.omitted !== undefined && item.omitted > 0 && (
        <p className="text-xs text-quiet">{item.omitted.toLocaleString()} more characters were not kept.</p>
      )}
    </>
  )
}

/** In the text stands a word for each picture. */
function isPicturesAlone({ text, attachments = [] }: ToolResultItem): boolean {
  return attachments.length > 0 && text.split('\n').every((line) => line === '[image]')
}
