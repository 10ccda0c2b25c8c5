import { pickFileCard } from '@holdpoint/examples/interactive-tools/pick-file-card'
import type { Ask } from '@holdpoint/schema/ask'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { AskCard } from '../cards/ask-card.tsx'
import { sampleAsk } from '../testing/sample-ask.ts'
import { type CardEntry, CardsProvider } from './cards-provider.tsx'

const schema = {
  type: 'object',
  properties: { file: { type: 'string', enum: ['monday.txt', 'tues\u202eday.txt'] } },
  required: ['file'],
}
const ONE = { question: 'Which?', options: [{ label: 'a' }, { label: 'b' }], multiSelect: false }
const pick = sampleAsk({
  kind: 'form',
  tool: { name: 'mcp__files__pick_file', input: { folder: 'notes', prompt: 'Which day?' } },
  form: { mode: 'form', server: 'files', message: 'Which day?', schema },
})

function markup(ask: Ask, cards: readonly CardEntry[]): string {
  return renderToStaticMarkup(
    <CardsProvider cards={cards}>
      <AskCard ask={ask} onAnswer={() => {}} now={1000} />
    </CardsProvider>,
  )
}

describe("a card of an app's own", () => {
  it('is the inside of the card for the asks that it takes', () => {
    const html = markup(pick, [pickFileCard])
    expect(html.match(/type="radio"/g)).toHaveLength(2)
    expect(html).not.toContain('data-field')
    expect(html).not.toContain('\u202e')
  })

  it.each<[string, Ask, readonly CardEntry[]]>([
    ['there is none', pick, []],
    ['it is for another tool', { ...pick, tool: { name: 'mcp__files__other', input: {} } }, [pickFileCard]],
    ['it is for another kind', pick, [{ ...pickFileCard, kind: 'question' } as CardEntry]],
    [
      'it cannot tell',
      pick,
      [
        {
          ...pickFileCard,
          matches: () => {
            throw new Error('broken')
          },
        },
      ],
    ],
  ])('gives way to the standard card where %s', (_, ask, cards) => {
    expect(markup(ask, cards)).toContain('data-field')
  })

  it('is the first that fits, the inner ones before the outer ones', () => {
    const named = (name: string): CardEntry => ({ ...pickFileCard, Card: () => <p>{name}</p> }) as CardEntry
    expect(markup(pick, [named('first'), named('second')])).toContain('<p>first</p>')
    const html = renderToStaticMarkup(
      <CardsProvider cards={[named('outer')]}>
        <CardsProvider cards={[named('inner')]}>
          <AskCard ask={pick} onAnswer={() => {}} now={1000} />
        </CardsProvider>
      </CardsProvider>,
    )
    expect(html).toContain('<p>inner</p>')
  })

  it('has no say in whose card it is, what the call is, and what the buttons are', () => {
    const html = markup(pick, [{ kind: 'form', matches: () => true, Card: () => null }])
    for (const shown of ['Form', 'from the MCP server files', 'the agent says', 'Input of the call', 'folder', 'notes'])
      expect(html).toContain(shown)
    expect(html).toMatch(/<button[^>]*aria-disabled="true"[^>]*>Submit/)
    expect(html).toContain('Decline')
  })

  it('is none of an approval or a plan: what an allow would run is shown by the standard card (T26)', () => {
    const grabbing = { kind: 'approval', matches: () => true, Card: () => <p>harmless</p> } as unknown as CardEntry
    const html = markup(sampleAsk(), [grabbing])
    expect(html).not.toContain('harmless')
    expect(html).toContain('Command')
  })
})

describe('the standard cards of answers', () => {
  it.each<[string, Ask]>([
    ['a form', pick],
    ['a question', sampleAsk({ kind: 'question', questions: [ONE], tool: { name: 'x', input: { folder: 'notes' } } })],
  ])('show what a call says besides %s, and take no answer before it was seen (T26)', (_, ask) => {
    const html = markup(ask, [])
    for (const shown of ['Input of the call', 'notes', 'Scroll to the end to answer']) expect(html).toContain(shown)
    expect(html).toMatch(/<button[^>]*aria-disabled="true"[^>]*>(?:Submit|Send answer)/)
  })

  it('show nothing twice: questions that came in the call, forms that came without one', () => {
    const input = { questions: [{ ...ONE, unknown: true }] }
    const question = sampleAsk({ kind: 'question', questions: [ONE], tool: { name: 'AskUserQuestion', input } })
    expect(markup(question, [])).not.toContain('Input of the call')
    const { tool, ...elicited } = pick
    expect(markup(elicited, [])).not.toContain('Input of the call')
    expect(markup(elicited, [])).toContain('the server says')
  })

  it('are not there for a kind that this page does not know: it says so, and nothing can be allowed', () => {
    const html = markup({ ...sampleAsk(), kind: 'constructor' as never }, [])
    expect(html).toContain('could not show')
    expect(html).not.toContain('<button')
  })
})
