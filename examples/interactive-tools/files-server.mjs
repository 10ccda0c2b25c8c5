// The tool itself: an MCP server that the agent starts. It gets the path that a person picked, and only reports it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'files', version: '1.0.0' })

server.registerTool(
  'pick_file',
  {
    description: 'Lets the person pick one file of a folder. Returns its path.',
    inputSchema: {
      folder: z.string().describe('The folder to pick from'),
      prompt: z.string().describe('What the file is for, in one sentence'),
      path: z.string().optional().describe('Leave this out: the person fills it in'),
    },
  },
  async ({ path }) =>
    path === undefined
      ? { isError: true, content: [{ type: 'text', text: 'Nobody was asked.' }] }
      : { content: [{ type: 'text', text: `The person picked ${path}` }] },
)

await server.connect(new StdioServerTransport())
