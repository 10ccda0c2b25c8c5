import type { Ask } from '@holdpoint/schema/ask'
import { headingOf, shortPath } from './heading.ts'

/** What one line can show of an ask, line feeds included. It decides nothing: whoever wants to answer opens the card. */
export interface LineWords {
  /** The tool's name, or the kind of ask. */
  readonly tool: string
  readonly text: string
  /** A command, a path or an input, rather than words. */
  readonly isCode: boolean
}

/** Of more than this no line shows anything. */
const LONGEST = 400

export function lineWords(ask: Ask): LineWords {
  const { tool } = headingOf(ask)
  const text = ask.omitted ? ask.title : textOf(ask)
  const line = text.slice(0, LONGEST)
  return { tool, text: text.length > LONGEST ? `${line}…` : line, isCode: ask.kind === 'approval' }
}

function textOf({ kind, context, tool, questions, plan, form }: Ask): string {
  switch (kind) {
    case 'approval': {
      const path = context.filePath === undefined ? undefined : shortPath(context.filePath, context.cwd)
      return context.command ?? path ?? context.url ?? context.query ?? inputOf(tool?.input)
    }
    case 'question':
      return questions?.map(({ question }) => question).join(' · ') ?? ''
    case 'plan':
      return plan?.text.trim() ?? ''
    case 'form':
      return form ? `${form.server}: ${form.message}` : ''
    default:
      return kind satisfies never
  }
}

function inputOf(input: Readonly<Record<string, unknown>> | undefined): string {
  return input === undefined || Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}
