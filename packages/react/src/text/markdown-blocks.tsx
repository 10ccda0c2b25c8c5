import { useMemo } from 'react'
import { MARKS_AT_ONCE, useGradual } from './gradual.tsx'
import { MarkdownBlock } from './markdown-block.tsx'
import { escapeMarks } from './marks-in.ts'
import { markdownBlocks } from './split-markdown.ts'

interface MarkdownBlocksProps {
  readonly text: string
  readonly streaming: boolean
  readonly decided?: boolean
  readonly copyable?: boolean
}

/** Blocks that are finished are not parsed again: only the last one of a message that grows is. */
export function MarkdownBlocks({ text, streaming, decided, copyable }: MarkdownBlocksProps) {
  const blocks = useMemo(() => markdownBlocks(text), [text])
  // While a message grows its blocks are not judged over and over.
  const { shown, more } = useGradual(blocks, { costOf: streaming ? one : costOfBlock })
  const drawn = shown.map((block, index) => (
    <MarkdownBlock
      key={index}
      text={block}
      live={streaming && index === blocks.length - 1}
      decided={decided}
      copyable={copyable}
    />
  ))
  return (
    <>
      {drawn}
      {more}
    </>
  )
}

function one(): number {
  return 1
}

function costOfBlock(block: string): number {
  return 1 + Math.min(escapeMarks(block, { prose: true }), MARKS_AT_ONCE / 2)
}
