import { CodeBlock } from '@holdpoint/react/code-block'
import type { ToolResultItem } from '../thread-rows.ts'

/** What a tool gave back; what was left out is told. */
export function ResultText({ item }: { item: ToolResultItem }) {
  return (
    <>
      {item.text === '' ? (
        <p className="text-[13px] text-quiet">It gave back nothing.</p>
      ) : (
        <CodeBlock text={item.text} />
      )}
      {item.omitted !== undefined && item.omitted > 0 && (
        <p className="text-xs text-quiet">{item.omitted.toLocaleString()} more characters were not kept.</p>
      )}
    </>
  )
}
