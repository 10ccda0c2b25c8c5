/** Folders of the system, which no agent writes to without being asked. Not `/proc`: what it shows differs by process. */
const SYSTEM = /^\/(bin|sbin|usr|opt|lib\w*|nix|snap|System|Library)\//

/** Whether this names a program of the system: by its name alone, or by a path that leads nowhere else. */
export function isSystemProgram(name: string): boolean {
  return !name.includes('/') || (SYSTEM.test(name) && !name.split('/').includes('..'))
}
