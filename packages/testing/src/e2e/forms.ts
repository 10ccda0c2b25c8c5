import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('../../../../dist/testing/forms-server.js', import.meta.url))

/** A project whose own settings bring an MCP server that asks for forms. Only acts in a folder that is trusted. */
export async function startForms(cwd: string) {
  await mkdir(join(cwd, '.claude'))
  await writeFile(join(cwd, '.claude', 'settings.json'), JSON.stringify({ enableAllProjectMcpServers: true }))
  const forms = { command: process.execPath, args: [SERVER] }
  await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { forms } }))
}
