/** A piece of a stream, and how many output tokens are in it. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}
