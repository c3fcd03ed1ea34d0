import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

/** The beginning of a 64-bit ELF file, and where its header and the entries of its table of segments have what. */
const MAGIC = "\x7fELF\x02\x01";
const HEADER = { segments: 32, sections: 40, segmentSize: 54, segmentCount: 56, sectionCounts: 58, end: 64 };
const SEGMENT = { offset: 8, size: 32 };

/**
 * Cuts off a program's symbols, as strip(1) does: everything behind the segments that are loaded. They are a third of workerd
 * and a sixth of Node, and only debuggers read them. A file of another form stays as it is.
 */
export function cutSymbols(path) {
  const opened = openSync(path, "r+");
  try {
    const header = readAt(opened, 0, HEADER.end);
    if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) return;
    const end = endOfSegments(opened, header);
    const isBehind = header.readBigUInt64LE(HEADER.sections) >= end && fstatSync(opened).size > end;
    if (!isBehind) return;
    header.fill(0, HEADER.sections, HEADER.sections + 8).fill(0, HEADER.sectionCounts);
    writeSync(opened, header, 0, HEADER.end, 0);
    ftruncateSync(opened, Number(end));
  } finally {
    closeSync(opened);
  }
}

function endOfSegments(opened, header) {
  const size = header.readUInt16LE(HEADER.segmentSize);
  const count = header.readUInt16LE(HEADER.segmentCount);
  const table = Number(header.readBigUInt64LE(HEADER.segments));
  let end = BigInt(table + size * count);
  for (let index = 0; index < count; index += 1) {
    const segment = readAt(opened, table + size * index, size);
    const its = segment.readBigUInt64LE(SEGMENT.offset) + segment.readBigUInt64LE(SEGMENT.size);
    if (its > end) end = its;
  }
  return end;
}

function readAt(opened, position, size) {
  const bytes = Buffer.alloc(size);
  readSync(opened, bytes, 0, size, position);
  return bytes;
}
