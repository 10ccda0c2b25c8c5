import { CliError, EXIT } from './cli-error.ts'
import { canPrompt, promptLine } from './prompt.ts'

/** Asks a person for a yes, unless it was given with `--yes`. Throws for everything else. */
export async function askYes(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (!canPrompt()) {
    throw new CliError(
      'Nothing was changed: there is no terminal to ask you in. Use --yes to continue without being asked.',
      EXIT.usage,
    )
  }
  const answer = (await promptLine(`${question} [y/N] `)).trim().toLowerCase()
  if (answer !== 'y' && answer !== 'yes') throw new CliError('Nothing was changed.')
}
