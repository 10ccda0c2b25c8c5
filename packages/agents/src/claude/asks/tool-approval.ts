import { shownField } from '@holdpoint/core/shown-field'
import type { AskContext, ToolInput } from '@holdpoint/schema/ask'
import type { CardPart } from '@holdpoint/schema/display'
import { TOOLS } from './call-display.ts'
import type { AnsweredEntry, InteractiveCall } from './interactive-tool.ts'
import { shortText } from './short-text.ts'
import { textField } from './text-field.ts'

/** Yes or no to a call as it is, for whatever no entry takes. */
export const toolApproval = {
  toAsk: (call: InteractiveCall) => ({
    title: titleOf(call),
    ...textField('agentSays', shownText(call, 'agent-says')),
    context: factsOf(call),
  }),
  fromOutcome: ({ input }, { answer }) => (answer?.updatedInput as ToolInput | undefined) ?? input,
} satisfies Pick<AnsweredEntry<'approval'>, 'toAsk' | 'fromOutcome'>

/** Text of the field that the tool's row gives to this part. Without a row a description is data that the call acts on. */
function shownText({ name, input }: InteractiveCall, part: CardPart): unknown {
  const field = shownField(TOOLS.get(name), part)
  return field === undefined ? undefined : input[field]
}

function factsOf(call: InteractiveCall): Omit<AskContext, 'cwd'> {
  const { input, blockedPath } = call
  return {
    ...textField('command', shownText(call, 'command')),
    ...textField('filePath', input.file_path ?? input.notebook_path),
    ...textField('url', shownText(call, 'url')),
    ...textField('query', shownText(call, 'query')),
    ...textField('blockedPath', blockedPath),
  }
}

function titleOf({ name, input }: InteractiveCall): string {
  const subject = [input.command, input.file_path, input.notebook_path, input.url, input.query].find(
    (value) => typeof value === 'string',
  ) as string | undefined
  return subject === undefined ? shortText(name) : `${shortText(name)}: ${shortText(subject)}`
}
