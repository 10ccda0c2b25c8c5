import type { Device } from '@holdpoint/schema/device'
import { paths } from '@holdpoint/schema/paths'
import { type Api, ApiError, createApi, type Locate } from './api.ts'
import { CliError } from './console/cli-error.ts'
import { canPrompt, promptLine } from './console/prompt.ts'
import { terminalText } from './console/terminal-text.ts'

const EXPLANATION = `HOLDPOINT_TOKEN is not set, so this command needs a one-time code or a login link. You get one
  - in the terminal where the gateway runs ("npm start", "holdpoint start"): press Enter there for a new link, or
  - from "holdpoint login" in a shell where HOLDPOINT_TOKEN is set.
It works once and expires after five minutes.`

/**
 * Runs `act` with the authority of HOLDPOINT_TOKEN, or of a one-time code that a person types in. Being the same user
 * as the gateway counts for nothing: the agents are that user too. What a code is traded for is kept in memory and
 * revoked afterwards.
 */
export async function withCredential<Result>(locate: Locate, act: (api: Api) => Promise<Result>): Promise<Result> {
  const token = process.env.HOLDPOINT_TOKEN
  if (token) return act(createApi(locate, token))
  if (!canPrompt()) {
    throw new CliError(
      'A credential is needed: set HOLDPOINT_TOKEN to the token that the gateway was started with, or run this in a terminal to type in a one-time code.',
    )
  }
  const { api, device } = await logIn(locate)
  try {
    return await act(api)
  } finally {
    await api.call(paths.account.revoke, { params: { id: device.id } }).catch(() => {
      console.error(
        `The credential "${terminalText(device.name)}" could not be revoked. Revoke it in the app's list of devices.`,
      )
    })
  }
}

async function logIn(locate: Locate): Promise<{ api: Api; device: Device }> {
  console.error(EXPLANATION)
  for (;;) {
    const code = codeIn(await promptLine('Code or link: '))
    if (code === '') continue
    try {
      const body = { code, bearer: true, name: 'holdpoint command' }
      const { token, device } = await createApi(locate).call(paths.account.login, { body })
      return { api: createApi(locate, token), device }
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_code') throw error
      console.error(error.message)
    }
  }
}

/** The code itself, or a whole link that ends in one. */
export function codeIn(typed: string): string {
  return typed.trim().replace(/^.*#login=/, '')
}
