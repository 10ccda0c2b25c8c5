import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { SessionError } from '@holdpoint/schema/session'

type Result = Extract<SDKMessage, { type: 'result' }>

/** Whether a turn ended because the model could not be reached or refused us, in words that say what to do. */
export function modelError(result: Result): SessionError | undefined {
  if (!result.is_error || result.subtype !== 'success') return undefined
  const said = result.result.trim() || 'no reason given'
  const status = (result as { api_error_status?: number | null }).api_error_status
  if (/not logged in|invalid api key|\/login/i.test(said) || status === 401 || status === 403) {
    return {
      code: 'no-credentials',
      message: `Claude Code could not log in to its model (${said}). Set ANTHROPIC_API_KEY where Holdpoint is started, or run "claude" once in a terminal and log in; then resume this session.`,
    }
  }
  if (status === 429 || status === 529) {
    return { code: 'model-overloaded', message: `The model is overloaded (${said}). Resume this session later.` }
  }
  if (status === null || status === undefined) {
    return {
      code: 'model-unreachable',
      message: `The model could not be reached (${said}). Check the network and ANTHROPIC_BASE_URL, then resume this session.`,
    }
  }
  return {
    code: 'model-error',
    message: `The model answered with an error (${said}). Resume this session to try again.`,
  }
}
