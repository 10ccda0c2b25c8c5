import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js'

/** An MCP server whose tools ask the person: `fill` with a form, `link` with an address to open. */
export function createFormsServer(): McpServer {
  const server = new McpServer({ name: 'forms', version: '1.0.0' })
  server.registerTool('fill', { description: 'Asks the person to fill in a short form.', inputSchema: {} }, async () =>
    report(
      await server.server.elicitInput({
        message: 'Where should the preview of this branch run?',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', title: 'Name of the preview', minLength: 1 },
            region: { type: 'string', title: 'Region', enum: ['Europe', 'United States', 'Asia'] },
            count: { type: 'integer', title: 'Copies', minimum: 1, maximum: 10, default: 1 },
            notify: { type: 'boolean', title: 'Tell the team when it is up', default: false },
          },
          required: ['name'],
        },
      }),
    ),
  )
  server.registerTool('link', { description: 'Asks the person to open a page.', inputSchema: {} }, async () =>
    report(
      await server.server.elicitInput({
        mode: 'url',
        message: 'Sign in to the preview service, then come back.',
        url: 'https://example.invalid/sign-in',
        elicitationId: 'sign-in-1',
      }),
    ),
  )
  return server
}

function report(result: ElicitResult) {
  const content = result.content ? ` ${JSON.stringify(result.content)}` : ''
  return { content: [{ type: 'text' as const, text: `${result.action}${content}` }] }
}
