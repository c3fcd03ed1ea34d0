/** What the stand-in for the providers takes for a key. It must never reach a deployed proxy, where it would be a real one. */
export const STAND_IN_KEY = "sk-stand-in";
