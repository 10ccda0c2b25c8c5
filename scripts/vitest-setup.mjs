// Tests run the programs in dist/ as processes: they are built before the first test.
import { ensureBuilt } from './setup.mjs'

export const setup = ensureBuilt
