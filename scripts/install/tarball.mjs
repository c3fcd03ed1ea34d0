import { createHash } from "node:crypto";
import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** Everything in a tarball is a whole number of blocks. */
const BLOCK = 512;
const CHUNK = 1024 * 1024;
const [FILE, OLD_FILE, FOLDER, OPTIONS, OPTIONS_FOR_ALL] = ["0", "\0", "5", "x", "g"];
const EXECUTABLE = 0o111;

/**
 * Unpacks a package's tarball into the folder, without the paths that `isWanted` refuses. Throws if the tarball has another
 * digest or ends early, or if it holds anything but files and folders. What was written until then is of no use.
 *
 * @param {{ file: string, integrity?: string }} tarball
 * @param {string} folder
 * @param {(path: string) => boolean} isWanted
 */
export async function unpack({ file, integrity }, folder, isWanted) {
  const digest = createHash("sha512");
  await pipeline(
    createReadStream(file, { highWaterMark: CHUNK }),
    async function* digested(chunks) {
      for await (const chunk of chunks) {
        digest.update(chunk);
        yield chunk;
      }
    },
    createGunzip({ chunkSize: CHUNK }),
    (chunks) => unpackFiles(new Bytes(chunks), folder, isWanted),
  );
  if (`sha512-${digest.digest("base64")}` !== integrity) throw new Error(`${file} has another digest`);
}

/** @param {Bytes} bytes */
async function unpackFiles(bytes, folder, isWanted) {
  const folders = new Set();
  let longPath = null;
  for (;;) {
    const header = headerOf(await bytes.take(BLOCK));
    if (header === null) break;
    const path = withoutFirst(longPath ?? header.path);
    longPath = null;
    if (header.kind === OPTIONS) longPath = pathIn(await bytes.take(header.size));
    else if ((header.kind === FILE || header.kind === OLD_FILE) && isWanted(path)) {
      await writeFile(bytes, header, placeIn(folder, path, folders));
    } else await bytes.skip(header.size);
    await bytes.skip(-header.size & (BLOCK - 1));
  }
  await bytes.drain();
}

/** Null for the empty block at the end. */
function headerOf(block) {
  const textAt = (from, to) => block.toString("utf8", from, to).split("\0", 1)[0];
  const path = textAt(0, 100);
  if (path === "") return null;
  const kind = String.fromCharCode(block[156]);
  if (![FILE, OLD_FILE, FOLDER, OPTIONS, OPTIONS_FOR_ALL].includes(kind))
    throw new Error(`an entry of kind ${kind}`);
  const prefix = textAt(257, 262) === "ustar" ? textAt(345, 500) : "";
  const [mode, size] = [textAt(100, 108), textAt(124, 136)].map((octal) => Number.parseInt(octal.trim(), 8));
  if (!Number.isSafeInteger(size)) throw new Error(`an entry without a size`);
  return { path: prefix === "" ? path : `${prefix}/${path}`, kind, size, mode };
}

/** A path of more than a hundred letters precedes its file, as an option. */
function pathIn(options) {
  return /^\d+ path=(.*)$/m.exec(options.toString("utf8"))?.[1] ?? null;
}

/** All files of a package are in one folder, whose name means nothing. */
function withoutFirst(path) {
  return path.split("/").slice(1).join("/");
}

/** @param {Set<string>} folders those that exist */
function placeIn(folder, path, folders) {
  if (path.split("/").includes("..")) throw new Error(`${path} is outside its package`);
  const place = join(folder, path);
  const parent = dirname(place);
  if (!folders.has(parent)) mkdirSync(parent, { recursive: true });
  folders.add(parent);
  return place;
}

async function writeFile(bytes, { size, mode }, place) {
  const opened = openSync(place, "w", mode & EXECUTABLE ? 0o777 : 0o666);
  try {
    for await (const part of bytes.parts(size)) {
      for (let at = 0; at < part.length;) at += writeSync(opened, part, at);
    }
  } finally {
    closeSync(opened);
  }
}

/** Reads a stream by the number of bytes. */
class Bytes {
  #chunks;
  #rest = Buffer.alloc(0);

  constructor(chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async *parts(size) {
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0) await this.#next();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async take(size) {
    const parts = [];
    for await (const part of this.parts(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  async skip(size) {
    for await (const _ of this.parts(size));
  }

  /** Reads what is left, so that its digest is of the whole. */
  async drain() {
    while (!(await this.#chunks.next()).done);
  }

  async #next() {
    const { done, value } = await this.#chunks.next();
    if (done) throw new Error("a tarball ends early");
    this.#rest = value;
  }
}
