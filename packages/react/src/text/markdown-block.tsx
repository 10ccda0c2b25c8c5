import { render, segments } from '@holdpoint/core/text/visible-text'
import { type MarkdownToJSX, parser, RuleType } from 'markdown-to-jsx/react'
import { Fragment, memo, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { CopyInLine } from '../ui/copy-button.tsx'
import { CodeBlock } from './code-block.tsx'
import { MARKS_AT_ONCE } from './gradual.tsx'
import { hidesText } from './hides-text.ts'
import { languageOfFence } from './language.ts'
import { isSaid, linkTarget } from './link-target.ts'
import { escapeMarks } from './marks-in.ts'
import { noSignLost, nothingLost } from './nothing-lost.ts'
import { EscapeMark, LeftToRight, VisibleText } from './visible-text.tsx'

type Node = MarkdownToJSX.ASTNode

export interface MarkdownBlockProps {
  readonly text: string
  /** More of it is coming: no colours yet. */
  readonly live?: boolean
  /** For text that a person decides on: shows where links lead in full, and no layout that hides text. */
  readonly decided?: boolean
  readonly copyable?: boolean
}

const DEEPEST = 40
const LONGEST = 50_000

/**
 * One block of an agent's markdown. Elements come from this file alone, by node type; the library only parses. Whatever
 * would get lost on the way, or is of no known type, makes the block show as the text that it is.
 */
export const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  const { text, live = false, decided = false, copyable = false } = props
  const source = text.replaceAll('\r\n', '\n')
  const formatted = blockOf(source, { live, decided, copyable })
  const plain = <Plain text={withoutEmptyEnd(source)} decided={decided} />
  if (formatted === undefined) return plain
  return decided ? <InSight formatted={formatted} plain={plain} /> : formatted
})

function Plain({ text, decided }: { text: string; decided: boolean }) {
  if (!decided) return <VisibleText text={text} multiline className="block" />
  return (
    <div className="grid gap-1 *:min-w-0">
      <p className="text-xs text-quiet">Shown as plain text: with formatting, some of it might not be visible.</p>
      <VisibleText text={text} multiline className="block font-mono text-[0.9em]" />
    </div>
  )
}

/** Only what takes up lines for nothing: a character that cannot be seen is shown, at the end too. */
function withoutEmptyEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' \t\n'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** As wide as scroll bars are: one that goes with the formatted block is no reason to try that again. */
const SCROLL_BAR_PX = 24

/** The block as formatted where it fits the width; as its source where a table or a deep list would hide text (T73). */
function InSight({ formatted, plain }: { formatted: ReactNode; plain: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  /** The width at which the formatted block was found to hide text. */
  const [tooNarrow, setTooNarrow] = useState<number>()
  useLayoutEffect(() => {
    const element = box.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const measure = () => {
      const width = element.clientWidth
      if (tooNarrow === undefined) {
        if (hidesText(element)) setTooNarrow(width)
      } else if (width > tooNarrow + SCROLL_BAR_PX) setTooNarrow(undefined)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [tooNarrow])
  return (
    <div ref={box} className="grid min-w-0 gap-2.5 *:min-w-0">
      {tooNarrow === undefined ? formatted : plain}
    </div>
  )
}

interface BlockOptions {
  readonly live: boolean
  readonly decided: boolean
  readonly copyable: boolean
}

function blockOf(source: string, options: BlockOptions): ReactNode {
  if (source.length > LONGEST) return undefined
  // As text it is drawn in steps.
  if (source.length > MARKS_AT_ONCE && escapeMarks(source, { prose: true }) > MARKS_AT_ONCE) return undefined
  const writer = new BlockWriter(source, options)
  try {
    const nodes = parser(source, {
      disableParsingRawHTML: true,
      disableFrontmatter: true,
      enforceAtxHeadings: true,
      sanitizer: (value) => value,
      slugify: () => '',
    })
    const shown = writer.nodes(nodes, 0)
    const written = writer.written.join('')
    if (!nothingLost(source, written)) return undefined
    return !options.decided || noSignLost(source, written, writer.hasTable) ? shown : undefined
  } catch {
    // A parser that stumbles over hostile text must not take the page with it.
    return undefined
  }
}

class UnknownNode extends Error {}

/** Turns nodes into elements. */
class BlockWriter {
  /** What a reader gets to see of the source, in the order of the source. */
  readonly written: string[] = []
  hasTable = false
  readonly #source: string
  readonly #options: BlockOptions

  constructor(source: string, options: BlockOptions) {
    this.#source = source
    this.#options = options
  }

  nodes(nodes: readonly Node[], depth: number): ReactNode {
    return nodes.map((node, index) => <Fragment key={index}>{this.#node(node, depth + 1)}</Fragment>)
  }

  #text(text: string): ReactNode {
    this.written.push(text)
    return segments(text, { multiline: true, prose: true, context: this.#source }).map((part, index) =>
      part.kind === 'plain' ? part.text : <EscapeMark key={index} of={part} />,
    )
  }

  /** As code: judged by itself, whatever the sentence around it is written in (T25), and from the left (T24). */
  #code(text: string): ReactNode {
    this.written.push(text)
    return segments(text, { multiline: true }).map((part, index) =>
      part.kind === 'plain' ? <LeftToRight key={index} text={part.text} /> : <EscapeMark key={index} of={part} />,
    )
  }

  #node(node: Node, depth: number): ReactNode {
    if (depth > DEEPEST) throw new UnknownNode('nested too deep')
    const inside = (nodes: readonly Node[]) => this.nodes(nodes, depth)
    switch (node.type) {
      case RuleType.text:
        return this.#text(node.text)
      case RuleType.paragraph:
        return <p dir="auto">{inside(node.children)}</p>
      case RuleType.heading:
        return this.#heading(node, depth)
      case RuleType.textFormatted:
        return this.#formatted(node, depth)
      case RuleType.codeInline:
        return (
          <code
            dir="ltr"
            className="rounded bg-code px-1 py-px font-mono text-[0.9em] whitespace-pre-wrap ring-1 ring-line ring-inset"
          >
            {this.#code(node.text)}
          </code>
        )
      case RuleType.codeBlock:
        return this.#fence(node)
      case RuleType.link:
        return this.#link(node, depth)
      case RuleType.image:
        return this.#image(node)
      case RuleType.orderedList:
        return (
          // Wide enough for every digit: what stands left of the box is cut off.
          <ol
            dir="auto"
            start={node.start}
            className="list-decimal"
            style={{ paddingInlineStart: `max(1.5rem, ${digitsOf(node)}ch + 1.25rem)` }}
          >
            {node.items.map((item, index) => {
              // The browser counts by itself. A source that counts otherwise is shown as it is.
              this.written.push(String((node.start ?? 1) + index))
              return <li key={index}>{inside(item)}</li>
            })}
          </ol>
        )
      case RuleType.unorderedList:
        return (
          <ul dir="auto" className="list-disc ps-6">
            {node.items.map((item, index) => (
              <li key={index}>{inside(item)}</li>
            ))}
          </ul>
        )
      case RuleType.gfmTask:
        if (node.completed) this.written.push('x')
        return node.completed ? '☑' : '☐'
      case RuleType.blockQuote:
        return (
          <blockquote dir="auto" className="border-s-2 border-edge ps-3 text-quiet">
            {node.alert && <p className="font-medium">{this.#text(node.alert)}</p>}
            {inside(node.children)}
          </blockquote>
        )
      case RuleType.table:
        return this.#table(node, depth)
      case RuleType.breakLine:
        return <br />
      case RuleType.breakThematic:
        return <hr className="border-line" />
      default:
        throw new UnknownNode(`markdown node ${node.type}`)
    }
  }

  /** Never as large as a heading of ours, and never in its place in the outline. */
  #heading(node: MarkdownToJSX.HeadingNode, depth: number): ReactNode {
    const children = this.nodes(node.children, depth)
    if (node.level === 1) return <h4 className="text-[1.05em] font-semibold">{children}</h4>
    if (node.level === 2) return <h5 className="font-semibold">{children}</h5>
    return <h6 className="font-medium">{children}</h6>
  }

  #formatted(node: MarkdownToJSX.FormattedTextNode, depth: number): ReactNode {
    const children = this.nodes(node.children, depth)
    if (node.tag === 'strong') return <strong className="font-semibold">{children}</strong>
    if (node.tag === 'em') return <em>{children}</em>
    if (node.tag === 'del') return <del>{children}</del>
    return <span className="bg-wait-bg">{children}</span>
  }

  #fence(node: MarkdownToJSX.CodeBlockNode): ReactNode {
    const lang = node.lang ?? ''
    const info = 'infoString' in node && typeof node.infoString === 'string' ? node.infoString : ''
    const language = languageOfFence(lang)
    const words = `${lang} ${info}`.trim()
    const shown = this.#text(words)
    this.written.push(node.text)
    return (
      <div className="grid gap-1">
        {/* The name of a language is no place to hide a sentence in; any other word is shown, and what follows it. */}
        {words && (language === undefined || info) && <p className="font-mono text-xs text-quiet">{shown}</p>}
        <CodeBlock
          text={node.text}
          // Whole: a box that scrolls inside another could hide its end from a person who saw the end of the outer one.
          maxHeight="none"
          label={lang ? `Code, ${lang}` : 'Code'}
          action={this.#options.copyable && <CopyInLine text={node.text} label="Copy the code" />}
          language={this.#options.live ? undefined : language}
        />
      </div>
    )
  }

  #link(node: MarkdownToJSX.LinkNode, depth: number): ReactNode {
    const target = node.target ?? ''
    const before = this.written.length
    const children = this.nodes(node.children, depth)
    const said = this.written.slice(before).join('')
    const link = linkTarget(target, said, this.#options.decided)
    const unsaid = isSaid(target, said) ? undefined : target
    // Where nothing is decided, the host is enough.
    if (unsaid !== undefined) this.written.push(unsaid)
    const aside = link ? link.unsaid : unsaid
    return (
      <>
        {link ? (
          <a
            href={link.href}
            title={render(target)}
            target="_blank"
            rel="noreferrer noopener"
            className="text-accent underline decoration-line underline-offset-2 hover:decoration-current"
          >
            {children}
          </a>
        ) : (
          children
        )}
        {aside !== undefined && <Aside text={aside} />}
        {node.title && <span className="text-quiet"> “{this.#text(node.title)}”</span>}
      </>
    )
  }

  /** Loading a picture would tell its server that this was read. */
  #image(node: MarkdownToJSX.ImageNode): ReactNode {
    const target = node.target ?? ''
    const alt = this.#text(node.alt ?? '')
    this.written.push(target)
    return (
      <span className="text-quiet">
        [image: {alt}] <VisibleText code text={target} className="font-mono text-[0.9em]" />
        {node.title && <> “{this.#text(node.title)}”</>}
      </span>
    )
  }

  #table(node: MarkdownToJSX.TableNode, depth: number): ReactNode {
    this.hasTable = true
    const look = (column: number) =>
      ({ left: 'text-left', right: 'text-right', center: 'text-center' })[node.align[column] ?? 'left']
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable from the keyboard.
      <div role="group" aria-label="Table" tabIndex={0} className="max-w-full overflow-x-auto">
        {/* Words are broken last: a column may not shrink to a strip of letters while there is room elsewhere. */}
        <table className="border-collapse text-[0.95em] wrap-break-word">
          <thead>
            <tr>
              {node.header.map((cell, column) => (
                <th
                  key={column}
                  dir="auto"
                  className={`border border-line bg-panel px-2 py-1 font-medium ${look(column)}`}
                >
                  {this.nodes(cell, depth)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {node.cells.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column} dir="auto" className={`border border-line px-2 py-1 align-top ${look(column)}`}>
                    {this.nodes(cell, depth)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )
  }
}

/** How many digits the largest number of a list has. */
function digitsOf({ start = 1, items }: MarkdownToJSX.OrderedListNode): number {
  return String(start + items.length).length
}

function Aside({ text }: { text: string }) {
  return (
    <span className="text-[0.92em] text-quiet">
      {' ('}
      <VisibleText code text={text} className="font-mono" />)
    </span>
  )
}
