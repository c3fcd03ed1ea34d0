/** Names the invalid setting, never its value, which may be a secret. */
export class BadSetting extends Error {
  override readonly name = "BadSetting";
}

/** Reads one setting. Throws what is wrong with it: the name goes before that, and the value is never told. */
export type SettingReader<T> = (value: unknown) => T;

/** A text that may be absent. Bindings of another kind are no text. */
export function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new BadSetting("must be a text");
}

export function matching(pattern: RegExp, problem: string, fallback: string): SettingReader<string> {
  return (value) => {
    const given = text(value) ?? fallback;
    if (!pattern.test(given)) throw new BadSetting(problem);
    return given;
  };
}

export function wholeNumber(fallback: number, min: number, max: number): SettingReader<number> {
  return (value) => {
    const given = text(value);
    if (given === undefined) return fallback;
    if (!/^\d{1,12}$/.test(given)) throw new BadSetting("must be a whole number");
    const number = Number(given);
    if (number < min || number > max) throw new BadSetting(`must be from ${min} to ${max}`);
    return number;
  };
}

export function atLeast(characters: number, problem: string): SettingReader<string | undefined> {
  return (value) => {
    const given = text(value);
    if (given !== undefined && given.length < characters) throw new BadSetting(problem);
    return given;
  };
}

export const optionalSecret = atLeast(32, "must be a secret of at least 32 characters");

export const secret: SettingReader<string> = (value) => {
  const given = optionalSecret(value);
  if (given === undefined) throw new BadSetting("is required");
  return given;
};

export const yesOrNo: SettingReader<boolean> = (value) => {
  const given = text(value) ?? "false";
  if (given !== "true" && given !== "false") throw new BadSetting("must be true or false");
  return given === "true";
};

/** The share of something that is written down: all of it, none, or a number between. */
export function share(all: string, none: string): SettingReader<number> {
  return (value) => {
    const given = text(value) ?? all;
    if (given === all) return 1;
    if (given === none) return 0;
    if (!/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(given))
      throw new BadSetting(`must be ${all}, ${none} or a share from 0 to 1, such as 0.01`);
    return Number(given);
  };
}

export function address(fallback: string): SettingReader<string> {
  return (value) => {
    const given = text(value) ?? fallback;
    if (!URL.canParse(given)) throw new BadSetting("must be an absolute URL");
    return given.replace(/\/+$/, "");
  };
}
