import type { AskContext, ToolInput } from '@holdpoint/schema/ask'
import { TOOLS } from './call-display.ts'
import type { AnsweredEntry, InteractiveCall } from './interactive-tool.ts'
import { shortText } from './short-text.ts'
import { textField } from './text-field.ts'

/** Yes or no to a call as it is, for whatever no entry takes. */
export const toolApproval = {
  toAsk: (call: InteractiveCall) => ({
    title: titleOf(call),
    ...remarkOf(call),
    context: factsOf(call),
  }),
  fromOutcome: ({ input }, { answer }) => (answer?.updatedInput as ToolInput | undefined) ?? input,
} satisfies Pick<AnsweredEntry<'approval'>, 'toAsk' | 'fromOutcome'>

/** In a tool that is not known here, a description is data that the call acts on. */
function remarkOf({ name, input }: InteractiveCall) {
  const isRemark = TOOLS.get(name)?.shownIn?.description === 'agent-says'
  return isRemark ? textField('agentSays', input.description) : {}
}

function factsOf({ name, input, blockedPath }: InteractiveCall): Omit<AskContext, 'cwd'> {
  return {
    ...(name === 'Bash' && textField('command', input.command)),
    ...textField('filePath', input.file_path ?? input.notebook_path),
    ...(name === 'WebFetch' && textField('url', input.url)),
    ...(name === 'WebSearch' && textField('query', input.query)),
    ...textField('blockedPath', blockedPath),
  }
}

function titleOf({ name, input }: InteractiveCall): string {
  const subject = [input.command, input.file_path, input.notebook_path, input.url, input.query].find(
    (value) => typeof value === 'string',
  ) as string | undefined
  return subject === undefined ? shortText(name) : `${shortText(name)}: ${shortText(subject)}`
}
