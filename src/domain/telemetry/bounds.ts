/** As many spans go into one request. */
export const MOST_SPANS = 500;
