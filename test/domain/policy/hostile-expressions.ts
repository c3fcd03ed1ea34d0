const numbers = (count: number): string => `[${Array.from({ length: count }, (_, i) => i).join(",")}]`;

/** Expressions that try to hang, exhaust, crash or slip past the evaluator. None of them may decide anything. */
export function hostileExpressions(): string[] {
  const families: ((n: number) => string)[] = [
    (n) => `${numbers(40 + n)}.all(a, ${numbers(40 + n)}.all(b, ${numbers(40 + n)}.all(c, a + b + c >= 0)))`,
    (n) => `${numbers(2)}.all(a, `.repeat(4 + n) + "true" + ")".repeat(4 + n),
    (n) => `run.metadata.long.map(x, run.metadata.long.map(y, x + y)).size() > ${n}`,
    (n) => `run.metadata.long.exists(x, run.metadata.long.exists(y, x == y + "${n}"))`,
    (n) => `["${"x".repeat(1 + n)}"]${".map(y, y + y)".repeat(20)}[0].size() > 0`,
    (n) => `run.metadata.huge.matches("${"(a+)+".repeat(1 + (n % 30))}$${n}")`,
    (n) => `model.matches("(${"a{1,30}".repeat(1 + n)}){30}")`,
    (n) => `model.matches("(?=${n})")`,
    (n) => `model.matches("(a)\\\\${1 + (n % 9)}{${n}")`,
    (n) => `model.matches(run.metadata.pattern + "${n}")`,
    (n) => `${"(".repeat(101 + n)}true${")".repeat(101 + n)}`,
    (n) => `${"[".repeat(41 + (n % 50))}${n}${"]".repeat(41 + (n % 50))} == []`,
    (n) => `run${".a".repeat(41 + n)} == 1`,
    (n) => `run.metadata.missing_${n} == "x"`,
    (n) => `run.metadata["missing_${n}"].size() > 0`,
    (n) => `${n} / 0 == 0`,
    (n) => `${n} % (${n} - ${n}) == 0`,
    (n) => `9223372036854775807 + ${n + 1} > 0`,
    (n) => `"${"y".repeat(4_090 + n)}" == model`,
    (n) => `${Array.from({ length: 301 + n }, () => "1").join("+")} > 0`,
    (n) => `nobody_${n} == 1`,
    (n) => `system("rm ${n}")`,
    (n) => `model + ${n} == "x"`,
    (n) => `"${n}"`,
    (n) => `model == "a" &&& ${n}`,
    (n) => `model == 'unclosed ${n}`,
    (n) => `run.metadata.long[${1_000_000 + n}] == 1`,
    (n) => `@weigh(${n}) == ${n}`,
    (n) => `google.protobuf.Struct{fields: ${n}} == 1`,
    (n) => `${numbers(150)}.all(x, now.getHours("Europe/Paris") >= -${n})`,
    (n) => `run.metadata.huge.contains(run.metadata.huge + "${n}") || true`,
    (n) => `run.metadata.long.all(x, run.metadata.long == run.metadata.long || ${n} < 0)`,
    (n) => `timestamp("not a time ${n}") < now`,
    (n) => `int("${n}x") == ${n}`,
    (n) => `run.metadata.${n}`,
  ];
  return Array.from(
    { length: 1_050 },
    (_, i) => families[i % families.length]?.(Math.floor(i / families.length)) ?? "",
  );
}

export const HOSTILE_METADATA = {
  long: Array.from({ length: 5_000 }, (_, i) => `item-${i}`),
  huge: "a".repeat(200_000),
  pattern: "(a*)*b",
  $typeName: "google.protobuf.Value",
  constructor: "x",
};
