/** The answer of an object whose org went to another region: ask there. */
export interface MovedAnswer {
  readonly movedTo: string;
}

export function isMoved(answer: unknown): answer is MovedAnswer {
  return typeof answer === "object" && answer !== null && "movedTo" in answer;
}
