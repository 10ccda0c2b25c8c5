import type { AskContext, Remember, ToolInput } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import { diffOf } from '../file-diff.ts'
import type { AnsweredEntry, InteractiveCall } from '../interactive-tool.ts'
import { shortText } from '../short-text.ts'
import { textField } from '../text-field.ts'

const FILE_TOOLS = new Set(['Read', 'Write', 'Edit', 'MultiEdit'])
/** Tools whose `description` is the agent's remark about the call. In any other it is data that the call acts on. */
const REMARKED_TOOLS = new Set(['Bash', 'Task', 'Agent', 'Monitor'])

/** Yes or no to a call as it is. The last entry: it takes whatever no other has taken. */
export const toolApproval: AnsweredEntry<'approval'> = {
  name: 'tool-approval',
  kind: 'approval',
  matches: () => true,
  toAsk: async (call) => ({
    title: titleOf(call),
    ...(REMARKED_TOOLS.has(call.name) && textField('agentSays', call.input.description)),
    context: await factsOf(call),
    remember: rememberOf(call),
  }),
  fromOutcome: ({ input }, { answer }) => (answer?.updatedInput as ToolInput | undefined) ?? input,
}

async function factsOf({ name, input, cwd, blockedPath }: InteractiveCall): Promise<Omit<AskContext, 'cwd'>> {
  return {
    ...(name === 'Bash' && textField('command', input.command)),
    ...textField('filePath', input.file_path ?? input.notebook_path),
    ...(name === 'WebFetch' && textField('url', input.url)),
    ...(name === 'WebSearch' && textField('query', input.query)),
    ...textField('blockedPath', blockedPath),
    ...(await diffOf(name, input, cwd)),
  }
}

function titleOf({ name, input }: InteractiveCall): string {
  const subject = [input.command, input.file_path, input.notebook_path, input.url, input.query].find(
    (value) => typeof value === 'string',
  ) as string | undefined
  return subject === undefined ? shortText(name) : `${shortText(name)}: ${shortText(subject)}`
}

/** Exactly the same patterns of the same tool; a description is the agent's talk and changes nothing. */
function rememberOf({ name, input, blockedPath }: InteractiveCall): Remember {
  if (name === 'Bash' && typeof input.command === 'string') {
    const { description, ...rest } = input
    return { key: canonicalJson(rest), rule: `Bash(${input.command})` }
  }
  if (FILE_TOOLS.has(name) && typeof input.file_path === 'string') {
    // Where the path leads is part of it: a link that is put in its place later is another file.
    const leadsTo = blockedPath !== undefined && blockedPath !== input.file_path ? ` → ${blockedPath}` : ''
    return exactly(name, input.file_path + leadsTo)
  }
  if (name === 'NotebookEdit' && typeof input.notebook_path === 'string') return exactly(name, input.notebook_path)
  if (name === 'WebFetch' && typeof input.url === 'string') return exactly(name, input.url)
  return exactly(name, canonicalJson(input))
}

function exactly(name: string, pattern: string): Remember {
  return { key: pattern, rule: `${name}(${pattern})` }
}
