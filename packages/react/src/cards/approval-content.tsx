import { raiserOf, realPathOf } from '@holdpoint/core/call-facts'
import { containsSecret } from '@holdpoint/core/text/secrets'
import { KeyRound } from 'lucide-react'
import { memo, useMemo } from 'react'
import { SeenRegion } from '../arming/seen-region.tsx'
import { CodeBlock } from '../text/code-block.tsx'
import { DiffView } from '../text/diff-view.tsx'
import { JsonTree } from '../text/json-tree.tsx'
import { languageOfFile } from '../text/language.ts'
import { stringsIn } from '../text/strings-in.ts'
import { EscapeWarning, VisibleText } from '../text/visible-text.tsx'
import { Chip } from '../ui/chip.tsx'
import { AgentSays, FactLine } from './agent-says.tsx'
import { AppealLine } from './appeal-line.tsx'
import { type Block, type ShownCall, textsOf } from './approval-blocks.ts'
import { AskedAgainLine } from './asked-again.tsx'
import { AskedBecause } from './asked-because.tsx'
import { CallFiles, LinkLine } from './call-files.tsx'
import { UrlText } from './url-text.tsx'

/** The agent's reason for every command that none of its own rules allows. It tells a person nothing. */
const SAYS_NOTHING = 'This command requires approval'

interface ApprovalContentProps {
  readonly ask: ShownCall
  readonly blocks: readonly Block[]
  onEndSeen(key: string): void
}

/** Everything that an allow would let run, the agent's words last. Not drawn again while the buttons below it arm. */
export const ApprovalContent = memo(function ApprovalContent({ ask, blocks, onEndSeen }: ApprovalContentProps) {
  const { context, tool } = ask
  const words = blocks.find(({ kind }) => kind === 'words')
  const inputs = blocks.filter((block) => block.kind !== 'words')
  const texts = useMemo(() => [...factsOf(ask), ...textsOf(blocks)], [ask, blocks])
  return (
    <div className="flex flex-col gap-2.5 px-4">
      <AskedAgainLine ask={ask} />
      <AppealLine appeal={ask.appeal} />
      <SecretMark texts={texts} />
      {tool?.mcpServer && (
        <div className="flex flex-wrap items-center gap-2 text-[13px] text-quiet">
          <Chip>
            MCP server <VisibleText text={tool.mcpServer.name} code className="text-ink" />
          </Chip>
          <span className="min-w-0 wrap-anywhere">
            source: <VisibleText text={tool.mcpServer.source} code />
          </span>
        </div>
      )}
      {context.diff === undefined && context.diffOmitted !== undefined && (
        <p className="text-[13px] text-quiet">
          No diff: <VisibleText text={context.diffOmitted} />. The input as it is:
        </p>
      )}
      <LinkLine call={ask} />
      {inputs.map((block) => (
        <BlockView key={block.key} block={block} onEndSeen={() => onEndSeen(block.key)} />
      ))}
      <CallFiles call={ask} />
      <EscapeWarning texts={texts} prose={wordsOf(ask)} />
      {context.blockedPath !== undefined && !isNamed(ask, context.blockedPath) && (
        <FactLine name="affected path">
          <VisibleText text={context.blockedPath} code className="font-mono text-xs" />
        </FactLine>
      )}
      {ask.askedBecause && <AskedBecause {...ask.askedBecause} />}
      {ask.decisionReason !== undefined && ask.decisionReason !== SAYS_NOTHING && !ask.appeal && (
        <FactLine name="agent's reason">
          <VisibleText text={ask.decisionReason} />
        </FactLine>
      )}
      {ask.matchedAskRule && (
        <FactLine name="rule in your settings">
          <VisibleText text={JSON.stringify(ask.matchedAskRule)} code className="font-mono text-xs" />
        </FactLine>
      )}
      {ask.agentSays !== undefined && (
        <AgentSays
          text={ask.agentSays}
          who={raiserOf(ask) === undefined ? undefined : 'the program says'}
          {...(words && { onEndSeen: () => onEndSeen(words.key) })}
        />
      )}
    </div>
  )
})

/** Characters that are searched for a secret: enough for a few milliseconds. */
const SEARCHED = 200_000

/** Says that a secret is among what is shown (T44). The card itself shows all of it: it is what would run. */
function SecretMark({ texts }: { texts: readonly string[] }) {
  const isThere = useMemo(() => {
    let left = SEARCHED
    return texts.some((text) => {
      const searched = text.slice(0, left)
      left -= searched.length
      return containsSecret([searched])
    })
  }, [texts])
  if (!isThere) return null
  return (
    <p>
      <Chip tone="wait">
        <KeyRound aria-hidden className="size-3 shrink-0" />
        contains a secret
      </Chip>
    </p>
  )
}

/** Whether the card says this path anyway. */
function isNamed(ask: ShownCall, path: string): boolean {
  return path === ask.context.filePath || path === realPathOf(ask)
}

/** What the card shows besides the blocks. */
function factsOf({ tool, context, files = [], matchedAskRule }: ShownCall): readonly string[] {
  const { cwd, filePath, blockedPath } = context
  const { name, source } = tool?.mcpServer ?? {}
  const said = [tool?.name, name, source, cwd, filePath, blockedPath].filter((text) => text !== undefined)
  return [...said, ...files.map(({ path }) => path), ...stringsIn(matchedAskRule)]
}

/** What it shows as words. */
function wordsOf({ context, askedBecause, decisionReason, appeal, agentSays }: ShownCall): readonly string[] {
  const said = [
    context.diffOmitted,
    askedBecause?.reason,
    askedBecause?.why,
    appeal?.reason ?? decisionReason,
    agentSays,
  ]
  return said.filter((text) => text !== undefined)
}

function BlockView({ block, onEndSeen }: { block: Exclude<Block, { kind: 'words' }>; onEndSeen(): void }) {
  switch (block.kind) {
    case 'command':
      return <CodeBlock text={block.text} language="shellscript" label="Command" onEndSeen={onEndSeen} />
    case 'diff':
      return <DiffView diff={block.diff} filePath={block.filePath} realPath={block.realPath} onEndSeen={onEndSeen} />
    case 'url':
      return <UrlText url={block.url} onEndSeen={onEndSeen} />
    case 'text':
      return (
        <div>
          <p className="pb-1 text-xs text-faint">
            <VisibleText text={block.label} code />
          </p>
          <CodeBlock
            text={block.text}
            label={block.label}
            onEndSeen={onEndSeen}
            {...(block.path !== undefined && { language: languageOfFile(block.path) })}
          />
        </div>
      )
    case 'tree':
      return (
        <div>
          {block.label !== 'Input' && <p className="pb-1 text-xs text-faint">{block.label}</p>}
          <JsonTree value={block.value} label={block.label} onEndSeen={onEndSeen} />
        </div>
      )
    case 'facts':
      return (
        <SeenRegion label="Other input" content={block} onEndSeen={onEndSeen}>
          <dl className="flex flex-wrap gap-x-5 gap-y-1 px-3 py-1.5 text-[13px]">
            {block.facts.map(({ name, value }) => (
              <div key={name} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
                <dt className="min-w-0 text-faint">
                  <VisibleText text={name} code />
                </dt>
                <dd className="min-w-0 font-mono text-xs leading-5 wrap-anywhere">
                  <VisibleText text={value} code />
                </dd>
              </div>
            ))}
          </dl>
        </SeenRegion>
      )
    default:
      return block satisfies never
  }
}
