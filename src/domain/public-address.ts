/** IP addresses and blocks of them, as numbers. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface Block extends Address {
  readonly prefix: number;
}

const V4_PART = /^(0|[1-9]\d{0,2})$/;
const V6_GROUP = /^[0-9a-fA-F]{1,4}$/;

function v4Value(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => V4_PART.test(part) && Number(part) < 256)) return null;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

/** The groups on one side of a `::`, with a dotted IPv4 tail counted as two. */
function v6Groups(text: string): bigint[] | null {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (V6_GROUP.test(part)) groups.push(BigInt(`0x${part}`));
    else {
      const tail = index === parts.length - 1 ? v4Value(part) : null;
      if (tail === null) return null;
      groups.push(tail >> 16n, tail & 0xffffn);
    }
  }
  return groups;
}

function v6Value(text: string): bigint | null {
  const sides = text.split("::");
  if (sides.length > 2) return null;
  const [head, tail] = [v6Groups(sides[0] ?? ""), v6Groups(sides[1] ?? "")];
  if (head === null || tail === null) return null;
  if (sides.length === 2 && sides[0]?.includes(".")) return null;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...tail];
  return groups.reduce((value, group) => value * 65_536n + group, 0n);
}

/** An address in its plain written form: four decimal parts, or IPv6 without brackets or zone. */
export function parseAddress(text: string): Address | null {
  const bits = text.includes(":") ? 128 : 32;
  const value = bits === 128 ? v6Value(text) : v4Value(text);
  return value === null ? null : { bits, value };
}

/** A block such as `10.0.0.0/8`; a single address is a block of one. Bits set beyond the prefix are refused. */
export function parseBlock(text: string): Block | null {
  const slash = text.indexOf("/");
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === null) return null;
  const prefixText = slash === -1 ? String(address.bits) : text.slice(slash + 1);
  const prefix = V4_PART.test(prefixText) ? Number(prefixText) : Infinity;
  if (prefix > address.bits) return null;
  const host = address.value & ((1n << BigInt(address.bits - prefix)) - 1n);
  return host === 0n ? { ...address, prefix } : null;
}

export function inBlock(address: Address, block: Block): boolean {
  const shift = BigInt(block.bits - block.prefix);
  return address.bits === block.bits && address.value >> shift === block.value >> shift;
}

function blocks(...texts: string[]): Block[] {
  return texts.map((text) => {
    const block = parseBlock(text);
    if (block === null) throw new Error(`not a block: ${text}`);
    return block;
  });
}

/** Not reachable over the public internet (IANA's special-purpose registry), and one cloud's metadata host. */
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
 * All of IPv6 but global unicast is refused, and so are the parts of it that carry an IPv4 address inside
 * (Teredo, 6to4) or are set aside for protocols and documentation.
 */
const GLOBAL_V6 = blocks("2000::/3");
const NOT_PUBLIC_V6 = blocks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

/** Whether an address may be somebody's on the public internet. */
export function isPublicAddress(address: Address): boolean {
  const within = (block: Block) => inBlock(address, block);
  return address.bits === 32
    ? !NOT_PUBLIC_V4.some(within)
    : GLOBAL_V6.some(within) && !NOT_PUBLIC_V6.some(within);
}
