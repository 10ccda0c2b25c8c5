import fc from 'fast-check'

// One seed for `npm test`: a commit is good or bad whoever runs it. `npm run test:long` draws a new one each time, and a
// failure prints it.
if (!process.env.HOLDPOINT_LONG) fc.configureGlobal({ seed: 20_261_116 })
