import { readToken } from '@holdpoint/agents/claude/hooks/hook-access'
import { type Api, createApi } from './api.ts'
import { CliError } from './console/cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { type AddressFlags, gatewayAddresses, givenAddresses } from './gateway-address.ts'

const HOW_TO_GET_ONE = `The owner of the gateway gets one with: holdpoint login --raiser "name of this program"`

/**
 * The gateway for a program that raises asks. At an address that was given: with HOLDPOINT_TOKEN, which has to be a
 * raiser's. On the gateway's own machine: with the credential in its data folder, which can only raise asks; a
 * HOLDPOINT_TOKEN there is the owner's, and is for answering. It is read for every call: it may be another one by then.
 */
export function raiserApi(flags: AddressFlags): () => Promise<Api> {
  const locate = () => gatewayAddresses(flags)
  if (givenAddresses(flags)) {
    const token = process.env.HOLDPOINT_TOKEN
    const api = token ? createApi(locate, token) : undefined
    return async () => {
      if (api) return api
      throw new CliError(`With --url, HOLDPOINT_TOKEN has to be the token of a raiser. ${HOW_TO_GET_ONE}`)
    }
  }
  return async () => {
    const folder = dataFolder(flags.data)
    const token = readToken(folder)
    if (token !== undefined) return createApi(locate, token)
    // That there is no gateway says more than that it has left no credential.
    await locate()
    throw new CliError(
      `The data folder ${folder} has no credential for programs: "holdpoint attach --renew" makes a new one.`,
    )
  }
}

/** For a credential that may not raise asks. */
export function notRaiserWords(flags: AddressFlags): string {
  return givenAddresses(flags) === undefined
    ? 'The credential of programs on this machine was revoked: "holdpoint attach --renew" makes a new one.'
    : `This HOLDPOINT_TOKEN cannot raise asks: only a raiser's can, and it answers none. ${HOW_TO_GET_ONE}`
}
