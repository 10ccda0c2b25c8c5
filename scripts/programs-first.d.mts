import { BaseSequencer } from 'vitest/node'

export class ProgramsFirst extends BaseSequencer {}
