/** An org's home region and the regions that may serve it. Null allows any region. */
export type Residency = { readonly homeRegion: string; readonly regions: readonly string[] | null };

export type RegionalCall = {
  /** The region that the request landed in. */
  readonly region: string;
  /** Changes what the home region stores. A decision does not: it reserves from a lease, wherever it is made. */
  readonly writes: boolean;
  /** The residency setting itself and the operator's routes. Otherwise a wrong rule could never be corrected. */
  readonly exempt: boolean;
};

export type Placement = "serve" | "forward" | "refuse";

/**
 * The rule applies to the region that received the call. An excluded region refuses the call and does not forward it.
 */
export function placementOf(residency: Residency, call: RegionalCall): Placement {
  const excluded = residency.regions !== null && !residency.regions.includes(call.region);
  if (excluded && !call.exempt) return "refuse";
  return call.writes && residency.homeRegion !== call.region ? "forward" : "serve";
}

/** Returns what is wrong with a rule, by field. Without the home region, writes could not be served anywhere. */
export function ruleFaults(
  regions: readonly string[],
  homeRegion: string,
  known: readonly string[],
): { readonly field: string; readonly message: string }[] {
  const strangers = regions.flatMap((region, index) =>
    known.includes(region)
      ? []
      : [
          {
            field: `regions[${index}]`,
            message: `is not a known region; the regions are ${known.toSorted().join(", ")}`,
          },
        ],
  );
  if (regions.includes(homeRegion)) return strangers;
  const message = `must include ${homeRegion}, the organization's home region; send null to remove the rule`;
  return [...strangers, { field: "regions", message }];
}
