import type { CardPart, Display } from '@holdpoint/schema/display'
import { diffSaysEdit } from './diff-says-edit.ts'

type Input = Readonly<Record<string, unknown>>

/** A tool of Claude Code as cards show it. */
interface KnownTool extends Pick<Display, 'verb' | 'icon' | 'tasks'> {
  /** Without a text in this field the call is displayed as one of an unknown tool. */
  readonly needs?: string
  /** Fields of its input. */
  readonly shownIn?: Readonly<Record<string, CardPart>>
  /** The fields that are said in full by the diff of the change. */
  inDiff?(input: Input, diff: string): readonly string[]
}

/** Fields that say the most about a call, whatever the tool, best first. */
const TELLING = [
  ...['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'description', 'prompt'],
  ...['skill', 'subject', 'taskId'],
]

const REMARK = { description: 'agent-says' } as const
const USE_TOOL = { verb: 'Use tool', icon: 'tool' } as const
const STATES = { state: 'status', doing: 'in_progress', done: 'completed' } as const
const TASK = { text: 'subject', number: 'taskId', ...STATES, gone: 'deleted' }

/** The tools that cards know more about than a name. What is not in here is displayed by default. */
export const TOOLS: ReadonlyMap<string, KnownTool> = new Map<string, KnownTool>([
  ['Bash', { verb: 'Run command', icon: 'terminal', needs: 'command', shownIn: { command: 'command', ...REMARK } }],
  ['AskUserQuestion', { verb: 'Ask', icon: 'own' }],
  ['BashOutput', { verb: 'Read output', icon: 'own' }],
  ['KillShell', { verb: 'Stop command', icon: 'own' }],
  ['Monitor', { verb: 'Watch', icon: 'own', shownIn: REMARK }],
  ['Task', { verb: 'Start subagent', icon: 'agent', shownIn: REMARK }],
  ['Agent', { verb: 'Start subagent', icon: 'agent', shownIn: REMARK }],
  ['TaskOutput', { verb: 'Read output', icon: 'own' }],
  ['TaskStop', { verb: 'Stop task', icon: 'own' }],
  ['TodoWrite', { verb: 'To do', icon: 'tasks', tasks: { list: 'todos', text: 'content', ...STATES } }],
  ['TaskCreate', { verb: 'Add task', icon: 'tasks', needs: 'subject', tasks: { ...TASK, made: 'Task #' } }],
  ['TaskUpdate', { verb: 'Change task', icon: 'tasks', needs: 'taskId', tasks: TASK }],
  ['TaskGet', { verb: 'Read task', icon: 'own' }],
  ['TaskList', { verb: 'List tasks', icon: 'own' }],
  ['Read', { verb: 'Read file', icon: 'read', needs: 'file_path' }],
  ['Write', { verb: 'Write file', icon: 'write', needs: 'file_path', inDiff: writtenFields }],
  ['Edit', { verb: 'Edit file', icon: 'edit', needs: 'file_path', inDiff: editedFields }],
  ['MultiEdit', { verb: 'Edit file', icon: 'edit', needs: 'file_path' }],
  ['NotebookEdit', { verb: 'Edit notebook', icon: 'edit', needs: 'notebook_path', inDiff: notebookFields }],
  ['Glob', { verb: 'Find files', icon: 'find', needs: 'pattern' }],
  ['Grep', { verb: 'Search files', icon: 'find', needs: 'pattern' }],
  ['WebFetch', { verb: 'Fetch', icon: 'web', needs: 'url', shownIn: { url: 'url' } }],
  ['WebSearch', { verb: 'Search the web', icon: 'search', needs: 'query', shownIn: { query: 'query' } }],
  ['Skill', { verb: 'Use skill', icon: 'own' }],
  ['ToolSearch', { verb: 'Look for tools', icon: 'own' }],
  ['EnterPlanMode', { verb: 'Begin to plan', icon: 'plan' }],
  ['ExitPlanMode', { verb: 'Go on with the plan', icon: 'plan', shownIn: { plan: 'plan', planFilePath: 'plan-file' } }],
  ['EnterWorktree', { verb: 'Enter worktree', icon: 'own' }],
  ['ExitWorktree', { verb: 'Leave worktree', icon: 'own' }],
])

export interface DisplayedCall {
  readonly name: string
  readonly input: unknown
  /** An MCP server's tool means what its server wants it to mean, whatever it is called. */
  readonly isOfServer?: boolean
  /** Of the file that it changes, as the card shows it. */
  readonly diff?: string | undefined
}

/** How cards and threads show a call of Claude Code. */
export function callDisplay({ name, input: given, isOfServer = false, diff }: DisplayedCall): Display {
  const input: Input = typeof given === 'object' && given !== null ? { ...given } : {}
  const known = isOfServer ? undefined : TOOLS.get(name)
  // What a tool cannot do without says more than a remark about it.
  const needed = known?.needs === undefined ? [] : [known.needs]
  const subject = [...needed, ...TELLING].find((field) => isText(input[field]))
  const path = ['file_path', 'notebook_path'].find((field) => isText(input[field]))
  const inDiff = diff === undefined ? [] : [...(known?.inDiff?.(input, diff) ?? []), ...onceOnly(input)]
  const shownIn: Record<string, CardPart> = {
    ...(path !== undefined && { [path]: 'path' }),
    ...known?.shownIn,
    ...Object.fromEntries(inDiff.map((field) => [field, 'diff'])),
  }
  const own = known && (known.needs === undefined || isText(input[known.needs])) ? known : undefined
  const { verb, icon } = own ?? (path === undefined ? USE_TOOL : { ...USE_TOOL, verb: 'Use file' })
  return {
    verb,
    icon,
    ...(subject !== undefined && { subject }),
    ...(Object.keys(shownIn).length > 0 && { shownIn }),
    ...(own?.tasks && { tasks: own.tasks }),
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** Once is what everybody expects of an edit; everywhere is worth a line of its own. */
function onceOnly({ replace_all: everywhere }: Input): readonly string[] {
  return everywhere === false ? ['replace_all'] : []
}

function writtenFields({ content }: Input): readonly string[] {
  return typeof content === 'string' ? ['content'] : []
}

function editedFields(input: Input, diff: string): readonly string[] {
  const { old_string: before, new_string: after, replace_all: everywhere } = input
  if (typeof before !== 'string' || typeof after !== 'string' || everywhere === true) return []
  return diffSaysEdit(diff, before, after) ? ['old_string', 'new_string'] : []
}

/** A cell that is deleted has no use for its new source. One whose lines stay as they are is not in the diff at all. */
function notebookFields({ edit_mode: mode }: Input, diff: string): readonly string[] {
  return mode === 'delete' || !/^@@ /m.test(diff) ? [] : ['new_source']
}
