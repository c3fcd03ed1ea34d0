import { type Cidr, contains, parseAddress, parseCidr } from "./address.ts";

function blocks(...texts: string[]): Cidr[] {
  return texts.map((text) => {
    const block = parseCidr(text);
    if (block === null) throw new Error(`not a block: ${text}`);
    return block;
  });
}

/**
 * Addresses that are not on the public internet (IANA's special-purpose registry), and a cloud provider's metadata
 * host.
 */
const NOT_PUBLIC_V4 = blocks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
);
/**
 * All of IPv6 except global unicast is refused, and so are the parts of it that embed an IPv4 address (Teredo, 6to4) or
 * are reserved for protocols and documentation.
 */
const GLOBAL_V6 = blocks("2000::/3");
const NOT_PUBLIC_V6 = blocks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

/** Returns whether an address is on the public internet. IPv6 addresses that embed an IPv4 address are not. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || (address.family === 4 && text.includes(":"))) return false;
  const within = (block: Cidr) => contains(block, address);
  return address.family === 4
    ? !NOT_PUBLIC_V4.some(within)
    : GLOBAL_V6.some(within) && !NOT_PUBLIC_V6.some(within);
}
