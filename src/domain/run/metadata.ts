import { hasChangedNumber, parseExactly } from "../text/raw-json.ts";

interface WithMetadata {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A parsed and valid run, with its metadata exactly as in the text. */
export function exactRun<R extends WithMetadata>(run: R, text: string): R {
  if (run.metadata === undefined || !hasChangedNumber(text)) return run;
  return withMetadataOf(run, parseExactly(text) as WithMetadata);
}

/** The same for the runs of a batch. */
export function exactRuns<R extends WithMetadata>(runs: readonly R[], text: string): readonly R[] {
  if (runs.every(({ metadata }) => metadata === undefined) || !hasChangedNumber(text)) return runs;
  const exact = (parseExactly(text) as { readonly runs: readonly WithMetadata[] }).runs;
  return runs.map((run, index) => withMetadataOf(run, exact[index] ?? {}));
}

function withMetadataOf<R extends WithMetadata>(run: R, { metadata }: WithMetadata): R {
  return metadata === undefined ? run : { ...run, metadata };
}
