import { Component, lazy, memo, type ReactNode, Suspense } from 'react'
import { VisibleText } from './visible-text.tsx'

export interface MarkdownProps {
  readonly text: string
  /** More is coming. */
  readonly streaming?: boolean
  /** For text that a person decides on: shows where links lead in full, not the host alone, and no layout that hides text. */
  readonly decided?: boolean
  /** With a button at each block of code that copies it. */
  readonly copyable?: boolean
}

const Blocks = lazy(async () => {
  const { MarkdownBlocks } = await import('./markdown-blocks.tsx')
  return { default: MarkdownBlocks }
})

/** An agent's words, formatted. Until the code for that is there, and if it never comes, as the text that they are. */
export const Markdown = memo(function Markdown(props: MarkdownProps) {
  const { text, streaming = false, decided = false, copyable = false } = props
  const plain = <VisibleText text={text} multiline className="block" />
  return (
    <div className="grid min-w-0 gap-2.5 text-sm leading-relaxed wrap-anywhere *:min-w-0">
      <OrElse fallback={plain}>
        <Suspense fallback={plain}>
          <Blocks text={text} streaming={streaming} decided={decided} copyable={copyable} />
        </Suspense>
      </OrElse>
    </div>
  )
})

class OrElse extends Component<{ readonly fallback: ReactNode; readonly children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}
