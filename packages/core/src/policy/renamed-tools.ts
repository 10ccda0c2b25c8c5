/** Tools of Claude Code that had another name in earlier versions: by that name, the one of today. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop'],
  ['AgentOutput', 'TaskOutput'],
  ['AgentOutputTool', 'TaskOutput'],
  ['BashOutput', 'TaskOutput'],
  ['BashOutputTool', 'TaskOutput'],
  ['Brief', 'SendUserMessage'],
  ['ListPeers', 'ListAgents'],
  ['ListMcpResources', 'ListMcpResourcesTool'],
  ['ReadMcpResource', 'ReadMcpResourceTool'],
  ['ReadMcpResourceDir', 'ReadMcpResourceDirTool'],
])

/** The name of a tool today: a rule for either name is about both. */
export function currentName(tool: string): string {
  return RENAMED.get(tool) ?? tool
}
