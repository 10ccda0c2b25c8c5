import { parse } from './control-line.ts'

/**
 * What the agent has to call by name as its first turn begins: skills and commands. Later turns tell of those as well
 * that it has found below its folder by then. Undefined for every other line.
 */
export function readFirstSkills(bytes: Buffer): string[] | undefined {
  return bytes.includes('"subtype":"init"') ? skillsIn(parse(bytes.toString())) : undefined
}

export function skillsIn(line: unknown): string[] | undefined {
  const { type, subtype, skills, slash_commands: commands } = (line ?? {}) as Record<string, unknown>
  if (type !== 'system' || subtype !== 'init') return undefined
  return [skills, commands]
    .flatMap((names) => (Array.isArray(names) ? names : []))
    .filter((name) => typeof name === 'string')
}
