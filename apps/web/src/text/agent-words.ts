const WORDS: Readonly<Record<string, { readonly label: string; readonly hint: string }>> = {
  claude: { label: 'Claude Code', hint: 'In one of your folders, with your own login.' },
  demo: { label: 'Demo', hint: 'A scripted tour. No key, no cost.' },
}

/** An agent that this version knows no better name for goes by its own. */
export function agentWords(agent: string): { readonly label: string; readonly hint?: string } {
  return Object.hasOwn(WORDS, agent) ? (WORDS[agent] ?? { label: agent }) : { label: agent }
}
