import { CodeBlock } from '@holdpoint/react/text/code-block'
import type { ToolResultItem } from './thread-rows.ts'

/** What a tool returned, with a note about what was left out. */
export function ResultText({ item }: { item: ToolResultItem }) {
  return (
    <>
      {item.text === '' ? (
        <p className="text-[13px] text-quiet">No output.</p>
      ) : (
        <CodeBlock text={item.text} label="Output" copy="Copy the output" />
      )}
      {item.omitted !== undefined && item.omitted > 0 && (
        <p className="text-xs text-quiet">{item.omitted.toLocaleString()} more characters were not kept.</p>
      )}
    </>
  )
}
