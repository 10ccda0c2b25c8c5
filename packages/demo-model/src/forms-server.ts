import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js'

/** An MCP server whose tools ask the person: `fill` with a form, `link` with an address to open. */
export function createFormsServer(): McpServer {
  const server = new McpServer({ name: 'forms', version: '1.0.0' })
  server.registerTool('fill', { description: 'Asks the person to fill in a short form.', inputSchema: {} }, async () =>
    report(
      await server.server.elicitInput({
        message: 'Who is the order for?',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', title: 'Name', minLength: 1 },
            colour: { type: 'string', title: 'Colour', enum: ['red', 'green', 'blue'] },
            count: { type: 'integer', title: 'How many', minimum: 1, maximum: 10, default: 1 },
            newsletter: { type: 'boolean', title: 'Newsletter', default: false },
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
        message: 'Sign in to go on.',
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
