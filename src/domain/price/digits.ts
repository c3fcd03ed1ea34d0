/** Every three-digit number as zero-padded text: a lookup table for the hot path. */
export const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));
