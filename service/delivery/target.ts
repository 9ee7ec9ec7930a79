// Owns where a call may go: the rules for a handler's URL, and the guard over the addresses that are really connected to.
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `allow`: CIDRs, addresses and host suffixes that may be called although they are private; `allowPrivate` opens all of those. */
export interface TargetPolicy {
  readonly allowPrivate: boolean;
  readonly allow: readonly string[];
}

/** Asks for all addresses of a host name; `dns.lookup` is one. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/** `public` may be called, `private` when opened or listed, `metadata` only when listed by address, `forbidden` never. */
type AddressClass = 'public' | 'private' | 'metadata' | 'forbidden';

const CLASS_OF_RANGE: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  linkLocal: 'metadata',
  unspecified: 'forbidden',
  multicast: 'forbidden',
  broadcast: 'forbidden',
};

/** Where clouds answer with credentials besides link-local: AWS (IPv6), Google (IPv6), Alibaba, Oracle, Azure. */
const METADATA = ['fd00:ec2::/32', 'fd20:ce::/32', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'].map(
  cidr => ipaddr.parseCIDR(cidr),
);

/** IPv6 ranges that carry an IPv4 address, with the byte at which it stands: the packet ends up there. */
const EMBEDDED_AT: readonly (readonly [Range, number])[] = [
  [ipaddr.parseCIDR('::ffff:0:0/96'), 12],
  [ipaddr.parseCIDR('::ffff:0:0:0/96'), 12],
  [ipaddr.parseCIDR('64:ff9b::/96'), 12],
  [ipaddr.parseCIDR('2002::/16'), 2],
  [ipaddr.parseCIDR('::/96'), 12],
];

const HOW_TO_ALLOW = 'CHOKAQ_WEBHOOK_ALLOW can list it (an address, a CIDR, or the end of a host name)';

export class TargetGuard {
  readonly #allowPrivate: boolean;
  readonly #ranges: readonly Range[];
  readonly #suffixes: readonly string[];

  /** Throws when an entry of `policy.allow` is neither an address, a CIDR nor a host name. */
  constructor(policy: TargetPolicy) {
    this.#allowPrivate = policy.allowPrivate;
    const entries = policy.allow.map(parseEntry);
    this.#ranges = entries.filter(entry => typeof entry !== 'string');
    this.#suffixes = entries.filter(entry => typeof entry === 'string');
  }

  /** Why this URL may not be called, or null. A host name passes here: its addresses are judged when it is connected to. */
  refuseUrl(url: string): string | null {
    if (!URL.canParse(url)) return 'the URL cannot be read; give an absolute http or https URL';
    const { protocol, username, password, hostname, href } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') return `the URL must be http or https, not ${protocol}`;
    if (username !== '' || password !== '') return 'the URL must not carry credentials; every call is signed instead';
    if (href.includes('#')) return 'the URL must not have a fragment; a server never sees it';
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) return this.refuseAddress(host, host);
    return /^(?:.+\.)?localhost\.?$/.test(host) ? this.refuseAddress(host, '127.0.0.1') : null;
  }

  /** Why `address`, found for `hostname`, may not be connected to, or null. */
  refuseAddress(hostname: string, address: string): string | null {
    if (!ipaddr.isValid(address)) return `the address ${address} of ${hostname} cannot be judged`;
    const judged = embedded(ipaddr.parse(address));
    const what = address === hostname ? `the address ${address}` : `the address ${address} of ${hostname}`;
    switch (classify(judged)) {
      case 'public':
        return null;
      case 'private':
        if (this.#allowPrivate || this.#lists(judged) || this.#listsHost(hostname)) return null;
        return `${what} is not public; ${HOW_TO_ALLOW}`;
      case 'metadata':
        return this.#lists(judged)
          ? null
          : `${what} is link-local or a cloud's metadata service; ${HOW_TO_ALLOW.replace(', or the end of a host name', '')}`;
      case 'forbidden':
        return `${what} is not the address of one host and is never called`;
    }
  }

  /** A `lookup` for `net.connect` that hands on only the addresses that may be connected to, and fails when there are none. */
  guard(lookup: Lookup): LookupFunction {
    return (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, '', 0);
        const allowed = found.filter(({ address }) => this.refuseAddress(hostname, address) === null);
        const [first] = allowed;
        if (!first) return callback(this.#refused(hostname, found), '', 0);
        return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
      });
    };
  }

  #refused(hostname: string, found: readonly LookupAddress[]): Error {
    const address = found[0]?.address;
    return new Error((address && this.refuseAddress(hostname, address)) || `${hostname} has no address`);
  }

  #lists(address: Address): boolean {
    return this.#ranges.some(range => isWithin(address, range));
  }

  #listsHost(hostname: string): boolean {
    const host = hostname.toLowerCase().replace(/\.$/, '');
    return this.#suffixes.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
  }
}

function parseEntry(entry: string): Range | string {
  const text = entry.trim().toLowerCase();
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (isIP(text) !== 0) return [ipaddr.parse(text), isIP(text) === 4 ? 32 : 128];
  const suffix = text.replace(/^\*?\./, '').replace(/\.$/, '');
  if (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(suffix) && !/^[\d.]+$/.test(suffix)) return suffix;
  throw new Error(`CHOKAQ_WEBHOOK_ALLOW: "${entry}" is neither an address, a CIDR nor the end of a host name`);
}

function classify(address: Address): AddressClass {
  if (METADATA.some(range => isWithin(address, range))) return 'metadata';
  return CLASS_OF_RANGE[address.range()] ?? 'private';
}

/** The IPv4 address inside an IPv6 one, or the address itself. `::` and `::1` are no carriers. */
function embedded(address: Address): Address {
  if (address.kind() === 'ipv4' || ['unspecified', 'loopback'].includes(address.range())) return address;
  const carrier = EMBEDDED_AT.find(([range]) => isWithin(address, range));
  if (!carrier) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(carrier[1], carrier[1] + 4));
}

function isWithin(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
