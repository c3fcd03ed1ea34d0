const encoder = new TextEncoder();

/** Every token stands for at least one byte, so no tokenizer makes more tokens of a text, in any language. */
export function mostTokensIn(text: string): number {
  return encoder.encode(text).byteLength;
}
