/** IPv4 and IPv6 addresses and CIDR blocks, compared as numbers so that no spelling of an address evades a rule. */

export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface Cidr extends Address {
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

function parseV4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    // Some parsers read a leading zero as octal, so it is refused as ambiguous.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    value = value * 256n + BigInt(part);
  }
  return value;
}

/** The 16-bit groups on one side of `::`, including a dotted IPv4 tail. */
function parseGroups(text: string): bigint[] | null {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".") && index === parts.length - 1) {
      const v4 = parseV4(part);
      if (v4 === null) return null;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}

function parseV6(text: string): bigint | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0] ?? "");
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "") : [];
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((value, group) => value * 65_536n + group, 0n);
}

const MAPPED = 0xffffn << 32n;

/** An IPv4-mapped address (`::ffff:10.0.0.1`) is that IPv4 address. A zone in an IPv6 address is ignored. */
export function parseAddress(text: string): Address | null {
  if (!text.includes(":")) {
    const v4 = parseV4(text);
    return v4 === null ? null : { family: 4, value: v4 };
  }
  const v6 = parseV6(text.replace(/%[0-9A-Za-z.:-]+$/, ""));
  if (v6 === null) return null;
  return v6 >> 32n === MAPPED >> 32n ? { family: 4, value: v6 & 0xffffffffn } : { family: 6, value: v6 };
}

function network(value: bigint, family: 4 | 6, prefix: number): bigint {
  const host = BigInt(BITS[family] - prefix);
  return (value >> host) << host;
}

/** An address alone is a block of one. Host bits are cleared. */
export function parseCidr(text: string): Cidr | null {
  const [base = "", length, extra] = text.split("/");
  if (extra !== undefined) return null;
  const address = parseAddress(base);
  if (address === null) return null;
  const mapped = address.family === 4 && base.includes(":");
  const bits = mapped ? 128 : BITS[address.family];
  if (length !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits)) return null;
  const prefix = (length === undefined ? bits : Number(length)) - (mapped ? 96 : 0);
  if (prefix < 0) return null;
  return { family: address.family, value: network(address.value, address.family, prefix), prefix };
}

export function formatCidr(cidr: Cidr): string {
  return `${cidr.family === 4 ? formatV4(cidr.value) : formatV6(cidr.value)}/${cidr.prefix}`;
}

function formatV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
}

/** RFC 5952: lower case, no leading zeros, the longest run of zero groups as `::`. */
function formatV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (groups[i + length] === "0") length++;
    if (length > best.length) best = { start: i, length };
  }
  if (best.start < 0) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

export function contains(cidr: Cidr, address: Address): boolean {
  return cidr.family === address.family && network(address.value, cidr.family, cidr.prefix) === cidr.value;
}

/**
 * The caller that an address stands for: a /64 in IPv6, because one host can use all of it. Other texts stand for
 * themselves.
 */
export function sourceOf(text: string): string {
  const address = parseAddress(text);
  if (address === null) return text;
  const { family, value } = address;
  const prefix = family === 4 ? 32 : 64;
  return formatCidr({ family, value: network(value, family, prefix), prefix });
}

/** An empty list allows everyone. An address that cannot be parsed is in no block. */
export function addressAllowed(list: readonly Cidr[], address: string): boolean {
  if (list.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== null && list.some((cidr) => contains(cidr, parsed));
}
