import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where tests start agents, gateways and browsers, which takes long. */
const PROGRAMS = /kill-cycles|\/(e2e|canary|terminal|hooks)\/|\/scripts\/|\/apps\/cli\//

/** Starts with the files that take long, so that at the end no core waits for one of them. */
export class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isFirst = ({ moduleId }: TestSpecification) => PROGRAMS.test(moduleId)
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}
