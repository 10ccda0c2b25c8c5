import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createFormsServer } from './forms-server.ts'

await createFormsServer().connect(new StdioServerTransport())
