import { parse } from './control-line.ts'

/**
 * What the agent has to call by name before its first message: skills and commands, as its answer to `initialize` tells
 * them. Each turn tells them too, but by then it has found those below its folder that the message leads to. Undefined
 * for every other line.
 */
export function readFirstSkills(bytes: Buffer): string[] | undefined {
  return bytes.includes('"commands":') ? skillsIn(parse(bytes.toString())) : undefined
}

export function skillsIn(line: unknown): string[] | undefined {
  const { type, response } = fields(line)
  if (type !== 'control_response') return undefined
  const { commands } = fields(fields(response).response)
  if (!Array.isArray(commands)) return undefined
  return commands.map((command) => fields(command).name).filter((name) => typeof name === 'string')
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
