import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type InteractiveTool, submittedContent } from '@holdpoint/embed'

export const PICK_FILE = 'mcp__files__pick_file'

/** Shows a call of `pick_file` as a list of the folder's files, and puts the picked file into the tool's input. */
export const pickFile: InteractiveTool = {
  name: 'pick-file',
  kind: 'form',
  matches: (toolName) => toolName === PICK_FILE,

  async toAsk({ input, cwd }) {
    if (input.path !== undefined) return { refusal: 'Leave the path out: the person picks the file.' }
    const folder = folderOf(input, cwd)
    const files = await filesIn(folder)
    if (files.length === 0) return { refusal: `There is no file to pick in ${folder}.` }
    return {
      title: `Pick a file in ${folder}`,
      form: {
        mode: 'form',
        server: 'files',
        message: String(input.prompt ?? ''),
        schema: {
          type: 'object',
          properties: { file: { type: 'string', title: folder, enum: files } },
          required: ['file'],
        },
      },
    }
  },

  fromOutcome({ input, cwd }, outcome) {
    const { file } = submittedContent(outcome)
    return { ...input, path: join(folderOf(input, cwd), String(file)) }
  },
}

function folderOf(input: Readonly<Record<string, unknown>>, cwd: string | undefined): string {
  if (cwd === undefined) throw new Error('the folder of the call is not known')
  return resolve(cwd, String(input.folder ?? '.'))
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort()
    .slice(0, 500)
}
