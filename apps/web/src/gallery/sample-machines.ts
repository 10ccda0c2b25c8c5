import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { NOW } from './sample-asks.ts'

const BUILD: KnownMachine = {
  id: 'nod_01kdzzzzzzgallery0000000001',
  name: 'build-1',
  version: '0.1.0',
  agents: ['claude'],
  address: 'https://build-1.example:4680',
  isReachable: true,
  isDraining: false,
  isThis: false,
  isHome: false,
  heardAt: NOW,
}

/** Another machine than the one of the page. */
export const ELSEWHERE = BUILD

const { address: _, ...silent } = BUILD

/** One that does not say where browsers can reach it. */
export const SILENT: KnownMachine = silent

/** One that has not been heard of for a while. */
export const AWAY: KnownMachine = { ...BUILD, isReachable: false, heardAt: NOW - 95_000 }
