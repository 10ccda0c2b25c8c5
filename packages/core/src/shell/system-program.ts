/** Where the system's own programs are. Nothing else under these folders: a project may lie in `/usr/src` or `/opt`. */
const SYSTEM = /^\/(usr\/)?s?bin\/[^/]+$/

/** Whether this names a program of the system: by its name alone, or by a path that leads nowhere else. */
export function isSystemProgram(name: string): boolean {
  return !name.includes('/') || SYSTEM.test(name)
}
