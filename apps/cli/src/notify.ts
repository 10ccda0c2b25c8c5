import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import type { DeliveryState } from '@holdpoint/schema/notification'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import type { Api } from './api.ts'
import { CliError, EXIT, ProgramEnd } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import { ageWords } from './console/time-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { addressOptions, withApi } from './with-api.ts'

interface ListFlags extends AddressFlags {
  readonly json?: boolean
}

/** Where a notification can go. */
interface Target {
  readonly id:
    | NonNullable<Notifications['devices']>[number]['deviceId']
    | NonNullable<Notifications['channels']>[number]['id']
  readonly name: string
  /** How it gets there. */
  readonly way: string
  readonly isOn: boolean
  readonly state: DeliveryState
}

export function notifyCommand(): Command {
  const command = new Command('notify').description('Show where notifications go, and test the way there.')
  command.addCommand(
    addressOptions(new Command('list'))
      .description('List devices and channels that get notifications, and how far the last one came.')
      .option('--json', 'print JSON')
      .action(list),
  )
  command.addCommand(
    addressOptions(new Command('test'))
      .description('Send a test notification, and show each step on its way.')
      .argument('[name]', 'a device or channel, by name or id; all that are switched on unless given')
      .addHelpText(
        'after',
        `
"sent" means that the push service or channel took it, "shown" that the device reported it on its screen.
The exit code is 1 if a step failed.

Examples:
  holdpoint notify test
  holdpoint notify test Pixel`,
      )
      .action(test),
  )
  return command
}

async function list(flags: ListFlags): Promise<void> {
  await withApi(flags, async (api) => {
    const reply = await api.call(paths.notifications.read, {})
    if (flags.json) return console.log(terminalJson(reply, 2))
    const targets = targetsOf(reply)
    if (targets.length === 0) return console.error(NONE)
    console.log(targets.flatMap((target) => lines(target, Date.now())).join('\n'))
  })
}

async function test(name: string | undefined, flags: AddressFlags): Promise<void> {
  await withApi(flags, async (api) => {
    const all = targetsOf(await api.call(paths.notifications.read, {}))
    const targets = all.filter((target) => (name === undefined ? target.isOn : isCalled(target, name)))
    if (targets.length === 0) throw new CliError(name === undefined || all.length === 0 ? NONE : unknown(name, all))
    const off = targets.find(({ isOn }) => !isOn)
    if (off) throw new CliError(`"${terminalText(off.name)}" is switched off.`)
    let isFine = true
    for (const target of targets) isFine = (await testOne(api, target)) && isFine
    if (!isFine) throw new ProgramEnd(EXIT.failure)
  })
}

function isCalled(target: Target, name: string): boolean {
  return target.name === name || target.id === name
}

/** Says whether every step was fine. */
async function testOne(api: Api, { id, name, way }: Target): Promise<boolean> {
  console.log(`${terminalText(name)} (${terminalText(way)})`)
  const { steps } = await api.call(paths.notifications.test, { body: { to: id } })
  for (const { step, ok, detail } of steps) {
    console.log(`  ${ok ? 'ok    ' : 'failed'}  ${step}: ${terminalText(detail)}`)
  }
  return steps.every(({ ok }) => ok)
}

function targetsOf({ devices = [], channels = [] }: Notifications): Target[] {
  return [
    ...devices.map(({ deviceId, name, service, state }) => ({
      id: deviceId,
      name,
      way: `push by ${service}`,
      isOn: true,
      state,
    })),
    ...channels.map(({ id, name, target, enabled, state }) => ({
      id,
      name,
      way: enabled ? target.type : `${target.type}, switched off`,
      isOn: enabled,
      state,
    })),
  ]
}

function lines({ name, way, state }: Target, now: number): string[] {
  const { sentAt, shownAt, failed } = state
  const steps = [
    ...(sentAt === undefined ? [] : [`sent ${ageWords(now - sentAt)} ago`]),
    ...(shownAt === undefined ? [] : [`shown ${ageWords(now - shownAt)} ago`]),
    // What has worked since is no news.
    ...(failed === undefined || failed.at < (sentAt ?? 0)
      ? []
      : [`failed ${ageWords(now - failed.at)} ago: ${terminalText(failed.reason)}`]),
  ]
  return [
    `${terminalText(name)} (${terminalText(way)})`,
    `  ${steps.length === 0 ? 'nothing sent since the gateway started' : steps.join(', ')}`,
  ]
}

function unknown(name: string, all: readonly Target[]): string {
  const names = all.map((target) => `"${terminalText(target.name)}"`).join(', ')
  return `No device or channel is called "${terminalText(name)}". There are: ${names}.`
}

const NONE =
  'Nobody gets notifications. Open Settings in the web app on the device that should ring, and switch them on there.'
