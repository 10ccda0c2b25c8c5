import type { KnownMachine } from '../machines/machine-of.ts'

/** Another machine that can be reached, with what the test is about in its place. */
export function sampleMachine(given: Partial<KnownMachine> = {}): KnownMachine {
  return {
    id: 'nod_1',
    name: 'build-1',
    version: '0.1.0',
    agents: ['claude'],
    isReachable: true,
    isDraining: false,
    isThis: false,
    isHome: false,
    heardAt: 0,
    ...given,
  }
}
