import { BlockList, isIP, isIPv4 } from 'node:net';
import { invalid } from '../../base/errors.ts';

/**
 * Blocks of IPv4 that are not public addresses, from IANA's registry of special purposes: private, shared, loopback,
 * link-local, documentation, benchmarks, relays, multicast, reserved.
 */
const special4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** The global unicast addresses of IPv6. Loopback, mapped, NAT64, unique-local, link-local and multicast ones are outside. */
const unicast6 = '2000::/3';
/** Blocks of them that are not public: protocol assignments with Teredo, documentation, 6to4, AS112, and documentation. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

function blocks(family: 'ipv4' | 'ipv6', list: readonly string[]): BlockList {
  const made = new BlockList();
  for (const block of list) {
    const [address = '', bits] = block.split('/');
    made.addSubnet(address, Number(bits), family);
  }
  return made;
}

const notPublic4 = blocks('ipv4', special4);
const public6 = blocks('ipv6', [unicast6]);
const notPublic6 = blocks('ipv6', special6);

/** Returns whether an IP address is public. An IPv6 address that contains an IPv4 address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic4.check(address, 'ipv4');
  return isIP(address) === 6 && public6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
}

/** The hosts whose addresses need not be public. */
export interface WebhookHosts {
  /** `host` or `host:port`, in lower case; an IPv6 address in brackets. */
  readonly allowed: ReadonlySet<string>;
}

/** Returns whether the owner allows every address of the URL's host. */
export function isAllowedHost({ allowed }: WebhookHosts, { hostname, port }: URL): boolean {
  return allowed.has(hostname) || allowed.has(`${hostname}:${port === '' ? httpsPort : port}`);
}

const httpsPort = '443';

/** The URL's host as the system's resolver takes it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The URL of a webhook. Throws `invalid_argument` unless it is an https URL without credentials whose host is a name or a
 * public address, or is allowed. The addresses of a name are checked at each delivery.
 */
export function webhookUrl(text: string, hosts: WebhookHosts): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:')
    throw invalid(
      'url',
      'url must be an https URL. For a receiver on this machine the service needs NODE_EXTRA_CA_CERTS, which trusts its certificate, and PLANNER_WEBHOOK_HOSTS, which allows its host.',
    );
  if (url.username !== '' || url.password !== '')
    throw invalid('url', 'url must not contain credentials: the receiver checks the signature.');
  const host = hostOf(url);
  const isLocalName = /(?:^|\.)localhost\.?$/.test(host);
  const isPublic = isIP(host) === 0 ? !isLocalName : isPublicAddress(host);
  if (isPublic || isAllowedHost(hosts, url)) return url;
  throw invalid(
    'url',
    `${url.host} is not a public address. The owner may allow it: PLANNER_WEBHOOK_HOSTS=${url.host}.`,
  );
}
