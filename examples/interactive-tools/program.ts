import { createSdkMcpServer, type Options, query, tool } from '@anthropic-ai/claude-agent-sdk'
import type { Holdpoint } from '@holdpoint/embed'
import { z } from 'zod'

/** The same tool in the program itself. A server is for one query. */
function filesServer() {
  const input = {
    folder: z.string().describe('The folder to pick from'),
    prompt: z.string().describe('What the file is for, in one sentence'),
    path: z.string().optional().describe('Leave this out: the person fills it in'),
  }
  return createSdkMcpServer({
    name: 'files',
    tools: [
      tool('pick_file', 'Lets the person pick one file of a folder. Returns its path.', input, async ({ path }) =>
        path === undefined
          ? { isError: true, content: [{ type: 'text', text: 'Nobody was asked.' }] }
          : { content: [{ type: 'text', text: `The person picked ${path}` }] },
      ),
    ],
  })
}

/** An agent in this program, whose asks `holdpoint` shows to people. */
export function startAgent(holdpoint: Holdpoint, cwd: string, prompt: string, options: Options = {}) {
  const session = holdpoint.session({ cwd })
  const messages = session.attach(
    query({
      prompt,
      options: {
        ...options,
        cwd,
        permissionMode: 'default',
        settingSources: [],
        mcpServers: { files: filesServer() },
        ...session.options,
      },
    }),
  )
  return { session, messages }
}
