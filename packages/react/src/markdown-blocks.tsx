import { useMemo } from 'react'
import { MarkdownBlock } from './markdown-block.tsx'
import { markdownBlocks } from './text/markdown-blocks.ts'

/** Blocks that are finished are not parsed again: only the last one of a message that grows is. */
export function MarkdownBlocks({ text, streaming }: { text: string; streaming: boolean }) {
  const blocks = useMemo(() => markdownBlocks(text), [text])
  return blocks.map((block, index) => (
    <MarkdownBlock key={index} text={block} live={streaming && index === blocks.length - 1} />
  ))
}
