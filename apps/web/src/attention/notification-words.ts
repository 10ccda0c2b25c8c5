import { maskSecrets } from '@holdpoint/core/text/secrets'
import { render } from '@holdpoint/core/text/visible-text'
import type { Ask, AskKind } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { projectName } from '../text/project-name.ts'

const KINDS: Readonly<Record<Exclude<AskKind, 'approval'>, string>> = {
  question: 'A question',
  plan: 'A plan',
  form: 'A form',
}

/** From the facts alone: the tool and the session, with secrets masked (T44). The agent's words stay inside the app, where they are fenced. */
export function notificationWords(ask: Ask, session: Session | undefined): { title: string; body: string } {
  const tool = ask.tool ? (ask.tool.displayName ?? ask.tool.name) : 'A tool'
  return {
    title: `${ask.kind === 'approval' ? render(tool) : KINDS[ask.kind]} needs your answer`,
    body: [session?.title, projectName({ agent: ask.agent, cwd: ask.context.cwd })]
      .filter((part) => part !== undefined)
      .map((part) => render(maskSecrets(part), { prose: true }))
      .join(' · '),
  }
}
