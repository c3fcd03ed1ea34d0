/** Zero where the file has ended, so that no reader has to ask. */
export function octetAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

export function uint32At(bytes: Uint8Array, at: number): number {
  return (
    octetAt(bytes, at) * 0x1000000 +
    (octetAt(bytes, at + 1) << 16) +
    (octetAt(bytes, at + 2) << 8) +
    octetAt(bytes, at + 3)
  );
}

/** Lowest byte first. */
export function littleUint32At(bytes: Uint8Array, at: number): number {
  return littleUint16At(bytes, at) + littleUint16At(bytes, at + 2) * 0x10000;
}

/** Lowest byte first. */
export function littleUint16At(bytes: Uint8Array, at: number): number {
  return octetAt(bytes, at) + octetAt(bytes, at + 1) * 0x100;
}

export function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
