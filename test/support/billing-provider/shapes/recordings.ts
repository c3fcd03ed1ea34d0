const WAV_HEADER_BYTES = 44;
const SAMPLES_PER_SECOND = 8000;

/** Silence of one channel, a byte to a sample. */
export function wavOf(seconds: number): Uint8Array {
  const samples = seconds * SAMPLES_PER_SECOND;
  const wav = Buffer.alloc(WAV_HEADER_BYTES + samples, 0x80);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(36 + samples, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(samples, 40);
  return wav;
}

const FLAC_INFO_BYTES = 34;
const FRAME_SAMPLES = 65_535;

/** Silence as FLAC: each frame is eight seconds in seventeen bytes. */
export function quietFlac(seconds: number): Uint8Array {
  const samples = seconds * SAMPLES_PER_SECOND;
  const info = Buffer.alloc(8 + FLAC_INFO_BYTES);
  info.write("fLaC", 0);
  info.writeUInt32BE(0x80_00_00_00 + FLAC_INFO_BYTES, 4);
  info.writeUInt16BE(FRAME_SAMPLES, 8);
  info.writeUInt16BE(FRAME_SAMPLES, 10);
  // Twenty bits of the rate, three of the channels, five of the depth, thirty-six of the number of samples.
  info.writeBigUInt64BE((BigInt(SAMPLES_PER_SECOND) << 44n) | (15n << 36n) | BigInt(samples), 18);
  const frames = Math.ceil(samples / FRAME_SAMPLES);
  return Buffer.concat([
    info,
    ...Array.from({ length: frames }, (_, at) =>
      frameOf(at, Math.min(FRAME_SAMPLES, samples - at * FRAME_SAMPLES)),
    ),
  ]);
}

/** A frame of one sample that does not change. */
function frameOf(at: number, samples: number): Buffer {
  const number = [...Buffer.from(String.fromCodePoint(at))];
  const head = [0xff, 0xf8, 0x74, 0x08, ...number, (samples - 1) >> 8, (samples - 1) & 0xff];
  const body = [...head, checksum(head, 8, 0x07), 0, 0, 0];
  const sum = checksum(body, 16, 0x80_05);
  return Buffer.from([...body, sum >> 8, sum & 0xff]);
}

/** A cyclic redundancy check of so many bits. */
function checksum(bytes: readonly number[], bits: number, polynomial: number): number {
  const most = 2 ** bits - 1;
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) {
      const isSet = (sum & (1 << (bits - 1))) !== 0;
      sum = ((sum << 1) ^ (isSet ? polynomial : 0)) & most;
    }
  }
  return sum;
}
