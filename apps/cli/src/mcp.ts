import { Command } from 'commander'
import { duration } from './duration.ts'
import type { AddressFlags } from './gateway-address.ts'
import { addressOptions } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly approveLimit?: number
}

export function mcpCommand(): Command {
  return addressOptions(new Command('mcp'))
    .description('Serve MCP on the standard streams: any agent can ask people through Holdpoint.')
    .option(
      '--approve-limit <time>',
      'how long the tool "approve" holds a call, such as 30m (default: as long as Claude Code waits)',
      duration,
    )
    .addHelpText(
      'after',
      `
Tools:
  ask      asks a person: with options, for their own words, or with a form. Waits 45 seconds,
           then gives an id to wait on with
  await    waits for the answer to an ask
  approve  for "claude --permission-prompt-tool": puts a call to a person, and holds it

On the gateway's machine no credential has to be set. Elsewhere give --url, and HOLDPOINT_TOKEN
with the token of a raiser: "holdpoint login --raiser NAME" makes one. It can ask, and answer nothing.

Examples:
  claude mcp add holdpoint -- holdpoint mcp
  claude -p "Tidy up" --permission-prompt-tool mcp__holdpoint__approve`,
    )
    .action(mcp)
}

async function mcp({ approveLimit, ...address }: Flags): Promise<void> {
  // Not before it is needed: no other command pays for it.
  const { serveMcp } = await import('./serve-mcp.ts')
  await serveMcp({ address, ...(approveLimit !== undefined && { approveLimitMs: approveLimit }) })
}
