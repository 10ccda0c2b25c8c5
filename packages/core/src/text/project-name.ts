import { folderName } from './folder-name.ts'

/** What people call the place of a session. Each demo session has a scratch folder, whose name says nothing. */
export function projectName({ agent, cwd }: { readonly agent: string; readonly cwd?: string | undefined }): string {
  if (agent === 'demo') return 'Demo'
  return cwd === undefined ? 'unknown folder' : folderName(cwd)
}
