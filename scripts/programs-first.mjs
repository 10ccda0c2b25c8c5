import { BaseSequencer } from 'vitest/node'

/** Where tests start agents, gateways and browsers, which takes long. */
const PROGRAMS = /kill-cycles|\/(e2e|canary|terminal|hook)\/|^scripts\/|\/apps\/cli\//

/** Starts with the files that take long, so that at the end no core waits for one of them. */
export class ProgramsFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files)
    const [first, rest] = [[], []]
    for (const file of sorted) (PROGRAMS.test(file.moduleId) ? first : rest).push(file)
    return [...first, ...rest]
  }
}
