/** What an object answers whose org went to another region: ask there. */
export interface Moved {
  readonly movedTo: string;
}

export function isMoved(answer: unknown): answer is Moved {
  return typeof answer === "object" && answer !== null && "movedTo" in answer;
}
