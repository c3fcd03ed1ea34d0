/** Every number of three digits as text, zeros in front: a lookup where thousands are written a second. */
export const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));
