import { BUILT_INS, type BuiltIn } from "../../../../domain/safety/detectors.ts";
import type { ContentSafety } from "../../../../contract/resources/content-safety.ts";
import { refusedPage } from "../../page/refusal-page.tsx";
import { type Setting, type SettingsPage, showSettings } from "../../page/settings.tsx";
import type { FormValues, Field, Option } from "../../view/field.ts";
import { formatMoment } from "../../view/format.ts";
import type { Route } from "../../visit.ts";
import { safetyTest, TRY_PATH, tryInput } from "./safety-test.tsx";

const TITLES: Readonly<Record<BuiltIn, string>> = {
  email: "Email addresses",
  phone: "Phone numbers",
  credit_card: "Card numbers",
  us_ssn: "US social security numbers",
  api_key: "API keys",
  private_key: "Private keys",
  prompt_injection: "Prompt injection",
};
const NAMES = Object.keys(BUILT_INS) as BuiltIn[];

const ACTIONS: readonly Option[] = [
  ["", "Off"],
  ["shadow", "Report only (shadow)"],
  ["block", "Block the run"],
];

const builtIn = (id: BuiltIn): Field => ({
  name: `builtin-${id}`,
  label: TITLES[id],
  kind: "choice",
  half: true,
  options: ACTIONS,
});

/** A custom pattern has three fields. If they are emptied, it is removed. */
function ownPattern(at: number): readonly Field[] {
  return [
    { name: `own-${at}`, label: `Pattern ${at + 1}`, kind: "heading" },
    {
      name: `own-${at}-id`,
      label: "Id",
      kind: "text",
      half: true,
      placeholder: "project_name",
    },
    { name: `own-${at}-action`, label: "Action", kind: "choice", half: true, options: ACTIONS.slice(1) },
    {
      name: `own-${at}-pattern`,
      label: "Pattern",
      kind: "text",
      placeholder: "(?i)project\\s+lantern",
      hint: "RE2 syntax. Matching takes linear time.",
    },
  ];
}

const patternsIn = (form: URLSearchParams) =>
  [...form.keys()].filter((key) => /^own-\d+-id$/.test(key)).length;

/** The detectors of the form, each with the prefix of its fields. */
function detectorsIn(form: URLSearchParams): { readonly at: string; readonly detector: object }[] {
  const chosen = NAMES.flatMap((id) => {
    const action = form.get(`builtin-${id}`) ?? "";
    return action === "" ? [] : [{ at: `builtin-${id}`, detector: { id, kind: "builtin" as const, action } }];
  });
  const own = Array.from({ length: patternsIn(form) }, (_, at) => `own-${at}`).flatMap((at) => {
    const [id = "", pattern = "", action = ""] = ["id", "pattern", "action"].map((part) =>
      form.get(`${at}-${part}`)?.trim(),
    );
    return id === "" && pattern === ""
      ? []
      : [{ at, detector: { id, kind: "pattern" as const, pattern, action } }];
  });
  return [...chosen, ...own];
}

function draftOf(found: ContentSafety | null): FormValues {
  const values: Record<string, string> = {};
  const own = (found?.detectors ?? []).filter((one) => one.kind === "pattern");
  for (const { id, kind, action } of found?.detectors ?? [])
    if (kind === "builtin") values[`builtin-${id}`] = action;
  for (const [at, { id, pattern, action }] of own.entries()) {
    Object.assign(values, {
      [`own-${at}-id`]: id,
      [`own-${at}-pattern`]: pattern,
      [`own-${at}-action`]: action,
    });
  }
  return { values, errors: {}, problem: null };
}

const detectors: Setting<ContentSafety> = {
  name: "detectors",
  title: "Detectors",
  api: "content-safety",
  method: "PUT",
  role: "admin",
  save: "Save detectors",
  noteOf: (found) => (found?.updated_at ? `Changed ${formatMoment(found.updated_at)}` : "No detectors"),
  fieldsOf(found, form) {
    const own = (found?.detectors ?? []).filter(({ kind }) => kind === "pattern").length + 1;
    const shown = form === null ? own : Math.max(own, patternsIn(form));
    const patterns = Array.from({ length: shown }, (_, at) => ownPattern(at)).flat();
    return [{ name: "builtin", label: "Built in", kind: "heading" }, ...NAMES.map(builtIn), ...patterns];
  },
  draftOf,
  bodyOf: (form) => ({ detectors: detectorsIn(form).map(({ detector }) => detector) }),
  complaintAt(field, form) {
    const [, index, part] = /^detectors\[(\d+)\](?:\.(\w+))?$/.exec(field) ?? [];
    const at = detectorsIn(form)[Number(index)]?.at;
    if (at === undefined) return field;
    return at.startsWith("own-") ? `${at}-${part ?? "pattern"}` : at;
  },
};

export const safety: SettingsPage = {
  path: "/console/safety",
  title: "Content safety",
  about:
    "Detectors scan the input of each reported run. The input is never stored. Block refuses the run; shadow only reports.",
  settings: [detectors],
  below: async (visit, ask) => safetyTest(visit, ask, null),
};

/** The same page, with what the detectors said to an input. */
export const trySafety: Route = [
  "POST",
  TRY_PATH,
  async (visit, ask) => {
    const answer = await tryInput(visit, ask);
    if (answer?.status === 403) return refusedPage(answer, safety.path, safety.path);
    const page = { ...safety, below: async () => safetyTest(visit, ask, answer) };
    return showSettings(page, visit, ask, { status: answer?.status ?? 200 });
  },
];
