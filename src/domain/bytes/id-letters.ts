/** The letters of ids, by what each stands for: Crockford's base 32. */
export const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const ALPHABET = Array.from(LETTERS, (letter) => letter.charCodeAt(0));
