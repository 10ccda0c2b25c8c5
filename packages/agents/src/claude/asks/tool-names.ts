/** Names of Claude Code's tools, as far as they are known. Only for warnings: new versions bring others. */
export const TOOL_NAMES: readonly string[] = [
  ...['Agent', 'Artifact', 'AskUserQuestion', 'Bash', 'BashOutput', 'CronCreate', 'CronDelete', 'CronList', 'Edit'],
  ...['EnterPlanMode', 'EnterWorktree', 'ExitPlanMode', 'ExitWorktree', 'Glob', 'Grep', 'KillShell', 'LSP'],
  ...['ListMcpResourcesTool', 'Monitor', 'MultiEdit', 'NotebookEdit', 'PushNotification', 'Read'],
  ...[
    'ReadMcpResourceTool',
    'RemoteTrigger',
    'ScheduleWakeup',
    'SendMessage',
    'Skill',
    'Task',
    'TaskCreate',
    'TaskGet',
  ],
  ...['TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate', 'TodoWrite', 'ToolSearch', 'WebFetch', 'WebSearch'],
  ...['Workflow', 'Write'],
]
