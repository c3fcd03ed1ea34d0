/** A piece of a stream, and how many output tokens are in it. */
export interface Piece {
  readonly text: string | Uint8Array;
  readonly tokens: number;
}
