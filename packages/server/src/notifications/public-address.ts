import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'

/** What the registries of special addresses set aside (RFC 6890 and those after it): none of it is a place on the internet. */
const SPECIAL_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** The only part of IPv6 that is given out for the internet: loopback, mapped, NAT64, local and multicast are outside of it. */
const GLOBAL_V6: readonly [string, number] = ['2000::', 3]

/** What is inside of it, but is a tunnel to an IPv4 address, or is for documents. */
const SPECIAL_V6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const specialV4 = blockList(SPECIAL_V4, 'ipv4')
const globalV6 = blockList([GLOBAL_V6], 'ipv6')
const specialV6 = blockList(SPECIAL_V6, 'ipv6')

/**
 * Whether an address is a place on the internet: not this machine, and not a network that this machine is in, also where
 * that network has public addresses (T51).
 */
export function isPublicAddress(address: string, interfaces: readonly NetworkInterfaceInfo[]): boolean {
  if (interfaces.some((own) => isInNetworkOf(own, address))) return false
  if (isIPv4(address)) return !specialV4.check(address)
  // An address with a zone (`fe80::1%eth0`) is for a network that this machine is in.
  if (!isIPv6(address) || address.includes('%')) return false
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

function isInNetworkOf(own: NetworkInterfaceInfo, address: string): boolean {
  if (own.cidr === null || isIPv4(address) !== (own.family === 'IPv4') || address.includes('%')) return false
  const family = own.family === 'IPv4' ? 'ipv4' : 'ipv6'
  return blockList([[own.address, Number(own.cidr.split('/')[1])]], family).check(address, family)
}

function blockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family)
  return list
}
