import type { AskContext, ToolInput } from '@holdpoint/schema/ask'
import type { AnsweredEntry, InteractiveCall } from '../interactive-tool.ts'
import { shortText } from '../short-text.ts'
import { textField } from '../text-field.ts'

/** Tools whose `description` is the agent's remark about the call. In any other it is data that the call acts on. */
const REMARKED_TOOLS = new Set(['Bash', 'Task', 'Agent', 'Monitor'])

/** Yes or no to a call as it is. The last entry: it takes whatever no other has taken. */
export const toolApproval: AnsweredEntry<'approval'> = {
  name: 'tool-approval',
  kind: 'approval',
  matches: () => true,
  toAsk: (call) => ({
    title: titleOf(call),
    ...(REMARKED_TOOLS.has(call.name) && textField('agentSays', call.input.description)),
    context: factsOf(call),
  }),
  fromOutcome: ({ input }, { answer }) => (answer?.updatedInput as ToolInput | undefined) ?? input,
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
