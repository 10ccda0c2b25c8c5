import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

const NOT_PUBLIC = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1', '127.9.9.9'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1'],
  ...['64:ff9b:1::a00:1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1', 'fd00:ec2::254'],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '5f00::1', 'localhost', 'example.com', '', '1.2.3'],
]
const PUBLIC = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.167.1.1']
const PUBLIC_V6 = ['2606:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '2600::1']

function own(cidr: string): NetworkInterfaceInfo {
  const [address = ''] = cidr.split('/')
  const shared = { address, netmask: '', mac: '', internal: false, cidr }
  return address.includes(':') ? { ...shared, family: 'IPv6', scopeid: 0 } : { ...shared, family: 'IPv4' }
}

describe('a public address', () => {
  it.each(NOT_PUBLIC)('T51 is not %j', (address) => {
    expect(isPublicAddress(address, [])).toBe(false)
  })

  it.each([...PUBLIC, ...PUBLIC_V6])('is %s', (address) => {
    expect(isPublicAddress(address, [])).toBe(true)
  })

  it('T51 is not one in a network that this machine is in', () => {
    const here = [own('51.15.20.7/24'), own('2a01:e0a:1:2::5/64')]
    expect(isPublicAddress('51.15.20.7', here)).toBe(false)
    expect(isPublicAddress('51.15.20.200', here)).toBe(false)
    expect(isPublicAddress('51.15.21.7', here)).toBe(true)
    expect(isPublicAddress('2a01:e0a:1:2::99', here)).toBe(false)
    expect(isPublicAddress('2a01:e0a:1:3::99', here)).toBe(true)
  })
})
