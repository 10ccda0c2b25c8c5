import { seededRandom } from '@holdpoint/testing/seeded-random'
import { describe, expect, it } from 'vitest'
import { SECRET_SHAPES } from './secret-shapes.ts'
import { containsSecret, maskedValue, maskSecrets } from './secrets.ts'

const random = seededRandom(11)
const pick = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const word = (length: number) => pick(LOWER + LOWER.toUpperCase() + DIGITS, length)
const upper = (length: number) => pick(LOWER.toUpperCase() + DIGITS, length)
const hex = (length: number) => pick('0123456789abcdef', length)
const PEM = (kind: string) => `-----BEGIN ${kind}-----\n${word(64)}\n${word(64)}\n-----END ${kind}-----`

/** One of each kind, made here: none of them opens anything. */
const SHAPES: Readonly<Record<string, string>> = {
  'AWS access key': `AKIA${upper(16)}`,
  'AWS temporary key': `ASIA${upper(16)}`,
  'Google API key': `AIza${word(35)}`,
  'Google OAuth token': `ya29.${word(60)}`,
  'Google client secret': `GOCSPX-${word(28)}`,
  'Google refresh token': `1//0${word(60)}`,
  'DigitalOcean token': `dop_v1_${hex(64)}`,
  'Heroku key': `HRKU-${word(36)}`,
  'Netlify token': `nfp_${word(36)}`,
  'Supabase token': `sbp_${hex(40)}`,
  'PlanetScale password': `pscale_pw_${word(43)}`,
  'Databricks token': `dapi${hex(32)}`,
  'Pulumi token': `pul-${hex(40)}`,
  'Vault token': `hvs.${word(90)}`,
  'Terraform token': `${word(14)}.atlasv1.${word(67)}`,
  'Tailscale key': `tskey-auth-${word(16)}-${word(32)}`,
  'Doppler token': `dp.pt.${word(43)}`,
  '1Password token': `ops_eyJ${word(250)}`,
  'GitHub token': `ghp_${word(36)}`,
  'GitHub app token': `ghs_${word(36)}`,
  'GitHub fine-grained token': `github_pat_${word(22)}_${word(59)}`,
  'GitLab token': `glpat-${word(20)}`,
  'GitLab trigger': `glptt-${hex(40)}`,
  'GitLab runner': `GR1348941${word(20)}`,
  'Bitbucket password': `ATBB${word(32)}`,
  'Atlassian token': `ATATT3${word(186)}`,
  'npm token': `npm_${word(36)}`,
  'PyPI token': `pypi-AgE${word(80)}`,
  'RubyGems key': `rubygems_${hex(48)}`,
  'Docker token': `dckr_pat_${word(27)}`,
  'Sentry token': `sntrys_${word(60)}`,
  'Grafana token': `glsa_${word(32)}_${hex(8)}`,
  'New Relic key': `NRAK-${upper(27)}`,
  'Postman key': `PMAK-${hex(24)}-${hex(34)}`,
  'OpenAI key': `sk-proj-${word(48)}`,
  'Anthropic key': `sk-ant-api03-${word(93)}AA`,
  'Hugging Face token': `hf_${word(34)}`,
  'Groq key': `gsk_${word(52)}`,
  'Replicate token': `r8_${word(37)}`,
  'Slack bot token': `xoxb-${pick(DIGITS, 12)}-${word(24)}`,
  'Slack app token': `xapp-1-${upper(11)}-${pick(DIGITS, 13)}-${hex(64)}`,
  'Slack webhook': `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${word(24)}`,
  'SendGrid key': `SG.${word(22)}.${word(43)}`,
  'Twilio key': `SK${hex(32)}`,
  'Mailgun key': `key-${hex(32)}`,
  'Mailchimp key': `${hex(32)}-us12`,
  'Telegram token': `${pick(DIGITS, 9)}:AA${word(33)}`,
  'Discord token': `M${word(23)}.${word(6)}.${word(38)}`,
  'Discord webhook': `https://discord.com/api/webhooks/${pick(DIGITS, 18)}/${word(68)}`,
  'Linear key': `lin_api_${word(40)}`,
  'Notion token': `ntn_${word(46)}`,
  'Airtable token': `pat${word(14)}.${hex(64)}`,
  'Figma token': `figd_${word(43)}`,
  'Dropbox token': `sl.${word(135)}`,
  'Stripe key': `sk_live_${word(24)}`,
  'Stripe webhook secret': `whsec_${word(32)}`,
  'Shopify token': `shpat_${hex(32)}`,
  'Square token': `sq0atp-${word(22)}`,
  'Azure account key': `AccountKey=${word(86)}==`,
  'Azure signature': `https://x.blob.core.windows.net/a?sv=2024&sig=${word(43)}%3D`,
  'age key': `AGE-SECRET-KEY-1${upper(58)}`,
  JWT: `eyJ${word(30)}.eyJ${word(60)}.${word(43)}`,
  'RSA key': PEM('RSA PRIVATE KEY'),
  'OpenSSH key': PEM('OPENSSH PRIVATE KEY'),
  'PGP key': PEM('PGP PRIVATE KEY BLOCK'),
  'password in an address': `postgres://admin:${word(16)}@db.example.com/shop`,
  'bearer header': `Authorization: Bearer ${word(30)}`,
  'basic header': `Authorization: Basic ${word(24)}`,
}

describe('T44 secrets', () => {
  it('are known by sixty shapes and more', () => {
    expect(Object.keys(SHAPES).length).toBeGreaterThanOrEqual(60)
  })

  it.each(Object.entries(SHAPES))('are covered wherever they stand: %s', (_, secret) => {
    for (const text of [
      secret,
      `curl -H 'X: ${secret}' https://example.com`,
      `a\n${secret}\nb`,
      JSON.stringify({ a: secret }),
    ]) {
      const masked = maskSecrets(text)
      expect(masked).toContain('[redacted]')
      // Of the random part nothing is left.
      const parts = secret.split(/[^A-Za-z0-9]+/).filter((part) => part.length >= 16)
      for (const part of parts) expect(masked).not.toContain(part)
      expect(containsSecret([text])).toBe(true)
    }
  })

  it.each([
    ['DB_PASSWORD=hunter2Hunter9 node x', 'DB_PASSWORD=[redacted] node x'],
    ['{"apiKey":"9f8g7h6j5k"}', '{"apiKey":"[redacted]"}'],
    ['aws_secret_access_key = wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY', 'aws_secret_access_key = [redacted]'],
    ['PASSWORD=SuperSecretPassphrase deploy', 'PASSWORD=[redacted] deploy'],
    [`DB_PASSWORD="two words" x`, 'DB_PASSWORD=[redacted] x'],
    ['mysql --password=hunter2 -u root', 'mysql --password=[redacted] -u root'],
    ['mysql --password hunter2', 'mysql --password [redacted]'],
    [`curl -u 'admin:Tr0ub' https://a.b`, `curl -u 'admin:[redacted]' https://a.b`],
    ['login --token q1w2e3r4t5', 'login --token [redacted]'],
    [`echo ${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z'}`, 'echo [redacted]'],
  ])('are covered by the name before them, or because they look random: %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked)
  })

  it.each([
    'git commit -m "Fix the token parser"',
    'npm test -- packages/core/src/text/secrets.test.ts',
    'git show 3239787a1b2c3d4e5f60718293a4b5c6d7e8f901',
    `sha256 ${'0123456789abcdef'.repeat(4)}`,
    'integrity: sha512-oMG5EPdVJ0r8Uo2cO1Dv3oJ6vFPUuE1mS9wQn0eyKfZ0aB6cD7eF8gH9iJ0kL==',
    '550e8400-e29b-41d4-a716-446655440000',
    'const password = readPassword()',
    'token: string',
    'cat /home/someone/Projects/A1B2C3/node_modules/@scope/package-name/dist/index.js',
    'getElementByIdAndSomeVeryLongCamelCaseFunctionName',
    'https://example.com/a/b?page=2',
    'sk-learn',
    'docker run -u 1000:1000 x',
    'PASSWORD=$SECRET docker login --password-stdin',
    'scan -u https://example.com/a',
  ])('are not seen where there is none: %j', (text) => {
    expect(maskSecrets(text)).toBe(text)
    expect(containsSecret([text])).toBe(false)
  })

  it('are covered in every text of a value, and in fields that are named for them', () => {
    const value = {
      command: `x ${SHAPES['GitHub token']}`,
      env: { MY_PASSWORD: 'short', list: ['a', SHAPES.JWT] },
      count: 3,
      [`key ${SHAPES['GitHub token']}`]: 1,
    }
    expect(maskedValue(value)).toEqual({
      command: 'x [redacted]',
      env: { MY_PASSWORD: '[redacted]', list: ['a', '[redacted]'] },
      count: 3,
      'key [redacted]': 1,
    })
  })

  it('are covered with all that is nested too deep to be looked at', () => {
    let nested: unknown = 'x'
    for (let depth = 0; depth < 20_000; depth++) nested = [nested]
    expect(JSON.stringify(maskedValue(nested))).toContain('[redacted]')
  })

  it('F58 have shapes in which what has no upper bound stands last, so that no text is read twice', () => {
    const bare = SECRET_SHAPES.source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
    expect(bare.match(/(?:\{\d+,\}|[+*])(?!\)*(?:\||$)).{0,20}/g)).toBeNull()
  })

  it('F58 are looked for in a long text that begins like each of them again and again', () => {
    for (const secret of Object.values(SHAPES)) {
      const begin = `-${secret.slice(0, Math.max(14, secret.search(/\w{14}/)))}`
      expect(maskSecrets(begin.repeat(Math.ceil(2_000_000 / begin.length))).length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('F58 are looked for in a long text without going back and forth in it', () => {
    for (const text of [
      'a'.repeat(1_000_000),
      'token='.repeat(100_000),
      '://a:'.repeat(100_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(80_000),
      '-----BEGIN '.repeat(200_000),
      '-eyJaaaaaaaaaa'.repeat(150_000),
      ' -u a:'.repeat(300_000),
      'PASSWORD="'.repeat(200_000),
    ]) {
      expect(maskSecrets(text).length).toBeGreaterThan(0)
    }
  })
})
