/** What npm may download, to the byte: the entries of this checkout's own package-lock.json. */
export const SDK_PACKAGES: readonly SdkPackage[] = [
  {
    name: '@anthropic-ai/claude-agent-sdk',
    integrity: 'sha512-MhSm2Fhk3DA/hhjdCKXDZWlnykpPWJjX42SogllAHMplY9ZKT+Ltb8QPtQxpe225Imfs4A8IKaNE4biivA+fHg==',
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-darwin-arm64',
    integrity: 'sha512-0u8bTug2zH+zWE8CMiFrm/ldmH20uA9B/zhXpI7ATHFJnpPMdwTqE56CFM0m3LOwnNum0jpRn7XV1dn6Pf2pqA==',
    os: ['darwin'],
    cpu: ['arm64'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-darwin-x64',
    integrity: 'sha512-HD3YRFyM5H5QH2usS/WD6gobk3BEp2jq9dKyrkhAVdQIqFMlrcSrRhGA0i3R1IOLxtPAYkmDGepZ62k1kMOW9Q==',
    os: ['darwin'],
    cpu: ['x64'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-linux-arm64',
    integrity: 'sha512-28oVrCEN6M6MJP8Od4SK/scal1QdLbn5Sci+qL8j55l6csHtPeUYF9zdjWLniFKph43pejfZf5te/Vf/bwehkw==',
    os: ['linux'],
    cpu: ['arm64'],
    libc: ['glibc'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-linux-arm64-musl',
    integrity: 'sha512-72y6QNRZC4eMCxne/wNsuwNHsViSkgFKlYMCUVXxmiR9gpIMd3rf++oJMIsSuEAQqzqT7jwCrdtibv6R4bx5PA==',
    os: ['linux'],
    cpu: ['arm64'],
    libc: ['musl'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-linux-x64',
    integrity: 'sha512-wXEWbDmNYiorY5EKASYjvQct8zHShUPmAS9N/IAsgPA/cx2vsOFqPQw8jRQKeaW6AmFgx7k/Wf7THalNXbMEkQ==',
    os: ['linux'],
    cpu: ['x64'],
    libc: ['glibc'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-linux-x64-musl',
    integrity: 'sha512-BHewYUTd7mDLR5iHTVt6Q28gJKLC5C24b1H3NM0qGt9dxnjVUh1Lza52GzHY2Rb9hAPQymLSXWuVh1OFoFQatA==',
    os: ['linux'],
    cpu: ['x64'],
    libc: ['musl'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-win32-arm64',
    integrity: 'sha512-NH3I2o105oKK8lfJ5RlzCp+YTZn3qncwQ1xSzQ4jqn7LUddThIidpFU7B+TKQxh1X9eayAp7EtrBQ36mXflQwQ==',
    os: ['win32'],
    cpu: ['arm64'],
  },
  {
    name: '@anthropic-ai/claude-agent-sdk-win32-x64',
    integrity: 'sha512-pjqVL++V/2oMJ6u1HdB608bcTUvzts1e8hX93Q8khasy2JB+R823bnvpQapcOurOWB3+v1X2JXIjXyWcGPJCQQ==',
    os: ['win32'],
    cpu: ['x64'],
  },
]

export interface SdkPackage {
  readonly name: string
  readonly integrity: string
  /** Which machines a package with a program is for; npm picks. */
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}
