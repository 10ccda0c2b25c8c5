import type { Device } from '@holdpoint/schema/device'
import { type Api, ApiError, createApi } from './api.ts'
import { CliError } from './cli-error.ts'
import { canPrompt, promptLine } from './prompt.ts'
import { terminalText } from './terminal-text.ts'

const EXPLANATION = `HOLDPOINT_TOKEN is not set, so this needs a one-time code. You find one
  - at the end of the line that the gateway printed when it was ready ("npm start", "holdpoint start"), or
  - from "holdpoint login" in a shell where HOLDPOINT_TOKEN is set.
A code works once, for five minutes.`

/**
 * Runs `act` with the authority of HOLDPOINT_TOKEN, or of a one-time code that a person types in. Being the same user
 * as the gateway counts for nothing: the agents are that user too. What a code is traded for is kept in memory and
 * revoked afterwards.
 */
export async function withCredential<Result>(url: string, act: (api: Api) => Promise<Result>): Promise<Result> {
  const token = process.env.HOLDPOINT_TOKEN
  if (token) return act(createApi(url, token))
  if (!canPrompt()) {
    throw new CliError(
      'A credential is needed: set HOLDPOINT_TOKEN to the token that the gateway was started with, or run this in a terminal to type in a one-time code.',
    )
  }
  const { api, device } = await logIn(url)
  try {
    return await act(api)
  } finally {
    await api.call('DELETE', `/api/devices/${device.id}`).catch(() => {
      console.error(
        `The credential "${terminalText(device.name)}" could not be revoked: revoke it in the list of devices.`,
      )
    })
  }
}

async function logIn(url: string): Promise<{ api: Api; device: Device }> {
  console.error(EXPLANATION)
  for (;;) {
    const code = codeIn(await promptLine('Code or link: '))
    if (code === '') continue
    try {
      const body = { code, bearer: true, name: 'holdpoint command' }
      const { device, token } = await createApi(url).call<{ device: Device; token: string }>('POST', '/api/login', body)
      return { api: createApi(url, token), device }
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
