import type { Machine } from '@holdpoint/schema/endpoints/machines'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { findByAbbreviation } from './abbreviation.ts'
import type { Api } from './api.ts'
import { askYes } from './console/ask-yes.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { machineTable } from './machine-table.ts'
import { addressOptions, withApi } from './with-api.ts'

const SHORTEST_ID = 4
export const WHICH = 'its name, its id, or at least four characters of the id'

interface YesFlags extends AddressFlags {
  readonly yes?: boolean
}

/** For the machines whose gateways share a database. */
export function machinesCommand(): Command {
  const machines = new Command('machines')
    .description('The machines that share this record: list and rename them, drain one, give a lost one up.')
    .addHelpText(
      'after',
      `
A machine that drains takes no new sessions; those that it has go on. One that is lost for good is given up: its sessions end
and their asks are withdrawn. Then it can be forgotten.

Examples:
  holdpoint machines list
  holdpoint machines rename build-1 "Build server"
  holdpoint machines give-up build-1`,
    )
  const add = (command: Command) =>
    machines.addCommand(addressOptions(command).exitOverride().showHelpAfterError('(use --help for usage)'))
  add(
    new Command('list')
      .description(
        'List the machines: name, whether it can be reached, when it was last heard from, version and agents.',
      )
      .option('--json', 'print JSON')
      .action(list),
  )
  add(
    new Command('rename')
      .description('Give a machine another name. Names are for people: sessions and asks keep their machine.')
      .argument('<machine>', WHICH)
      .argument('<name>', 'the new name')
      .action((given: string, name: string, flags: AddressFlags) =>
        change(flags, given, { name }, (machine) => `${named(machine)} is now called "${terminalText(name.trim())}".`),
      ),
  )
  add(
    new Command('drain')
      .description('Let a machine take no new sessions, for example before an upgrade. Those that it has go on.')
      .argument('<machine>', WHICH)
      .action((given: string, flags: AddressFlags) =>
        change(flags, given, { isDraining: true }, (machine) => `${named(machine)} takes no new sessions.`),
      ),
  )
  add(
    new Command('undrain')
      .description('Let a machine take new sessions again.')
      .argument('<machine>', WHICH)
      .action((given: string, flags: AddressFlags) =>
        change(flags, given, { isDraining: false }, (machine) => `${named(machine)} takes new sessions again.`),
      ),
  )
  add(
    new Command('give-up')
      .description('Give up a machine that cannot be reached and will not come back: its sessions end.')
      .argument('<machine>', WHICH)
      .option('--yes', 'do not ask')
      .action(giveUp),
  )
  add(
    new Command('forget')
      .description('Take a machine off the list that cannot be reached and has no sessions left.')
      .argument('<machine>', WHICH)
      .option('--yes', 'do not ask')
      .action(forget),
  )
  return machines
}

async function list(flags: AddressFlags & { readonly json?: boolean }): Promise<void> {
  await withApi(flags, async (api) => {
    const reply = await api.call(paths.machines.list, {})
    if (flags.json) return console.log(terminalJson(reply, 2))
    if (reply.machines.length === 0) return console.error(ALONE)
    console.log(machineTable(reply.machines, { columns: process.stdout.columns }).join('\n'))
  })
}

async function change(
  flags: AddressFlags,
  given: string,
  body: { readonly name?: string; readonly isDraining?: boolean },
  words: (machine: Machine) => string,
): Promise<void> {
  await withApi(flags, async (api) => {
    const machine = await findMachine(api, given)
    await api.call(paths.machines.change, { params: { id: machine.id }, body })
    console.error(words(machine))
  })
}

async function giveUp(given: string, flags: YesFlags): Promise<void> {
  await withApi(flags, async (api) => {
    const machine = await findMachine(api, given)
    refuseReachable(machine)
    await askYes(
      `Give up ${named(machine)}? Its sessions end, and their asks are withdrawn. An agent there may still work, and is ended if the machine comes back.`,
      flags.yes,
    )
    const { sessions } = await api.call(paths.machines.giveUp, { params: { id: machine.id } })
    console.error(`${named(machine)} was given up. ${sessions} ${sessions === 1 ? 'session' : 'sessions'} ended.`)
  })
}

async function forget(given: string, flags: YesFlags): Promise<void> {
  await withApi(flags, async (api) => {
    const machine = await findMachine(api, given)
    refuseReachable(machine)
    await askYes(`Take ${named(machine)} off the list? What its sessions did stays in the record.`, flags.yes)
    await api.call(paths.machines.forget, { params: { id: machine.id } })
    console.error(`${named(machine)} is off the list.`)
  })
}

/** Before anybody is asked. The gateway checks it again. */
function refuseReachable(machine: Machine): void {
  if (!machine.isReachable) return
  throw new CliError(`${named(machine)} can be reached. Stop its gateway first ("holdpoint stop" there).`, EXIT.refused)
}

export async function findMachine(api: Api, given: string): Promise<Machine> {
  const { machines } = await api.call(paths.machines.list, {})
  if (machines.length === 0) throw new CliError(ALONE, EXIT.refused)
  const sameName = machines.filter(({ name }) => name === given.trim())
  if (sameName.length > 1) {
    const table = machineTable(sameName, { columns: process.stderr.columns }).join('\n')
    throw new CliError(`Several machines are called "${terminalText(given)}". Give an id:\n${table}`, EXIT.usage)
  }
  const found = sameName[0] ?? (given.length < SHORTEST_ID ? undefined : findByAbbreviation(machines, given))
  if (found) return found
  throw new CliError(`There is no machine "${terminalText(given)}". "holdpoint machines list" lists them.`)
}

function named({ name }: Machine): string {
  return `"${terminalText(name)}"`
}

const ALONE =
  'This gateway has its record for itself: there are no machines to list. "holdpoint start --database" is for several.'
