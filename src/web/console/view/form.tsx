import type { Child } from "hono/jsx";

/** What was typed, and what the API says is wrong with it: a form that is refused comes back with both. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
  /** What is wrong with the request as a whole. */
  readonly problem: string | null;
}

export const BLANK: Draft = { values: {}, errors: {}, problem: null };

interface FormProps {
  readonly action: string;
  readonly csrf: string;
  /** Sent as `Idempotency-Key`: a form that is submitted twice acts once. */
  readonly once: string;
  readonly children: Child;
  readonly class?: string;
}

export function Form(props: FormProps) {
  return (
    <form method="post" action={props.action} class={props.class ?? "form"}>
      <input type="hidden" name="_csrf" value={props.csrf} />
      <input type="hidden" name="_once" value={props.once} />
      {props.children}
    </form>
  );
}

/** One button that does one thing. */
export function ActionButton(
  props: Omit<FormProps, "children"> & { label: string; danger?: boolean; about?: string },
) {
  return (
    <Form action={props.action} csrf={props.csrf} once={props.once} class="">
      <button
        type="submit"
        class={props.danger ? "small-button danger" : "small-button"}
        {...(props.about ? { "aria-label": props.about } : {})}
      >
        {props.label}
      </button>
    </Form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly draft: Draft;
  readonly hint?: string;
  readonly required?: boolean;
}

function describedBy({ name, draft, hint }: FieldProps) {
  const ids = [...(hint ? [`${name}-hint`] : []), ...(draft.errors[name] ? [`${name}-error`] : [])];
  return {
    ...(ids.length > 0 ? { "aria-describedby": ids.join(" ") } : {}),
    ...(draft.errors[name] ? { "aria-invalid": "true" as const } : {}),
  };
}

function Labelled(props: FieldProps & { children: Child }) {
  const error = props.draft.errors[props.name];
  return (
    <div class="field">
      <label for={props.name}>
        {props.label}
        {!props.required && <span class="quiet"> (optional)</span>}
      </label>
      {props.children}
      {props.hint && (
        <span class="hint" id={`${props.name}-hint`}>
          {props.hint}
        </span>
      )}
      {error && (
        <span class="error" id={`${props.name}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

export function TextField(
  props: FieldProps & { type?: string; inputmode?: "decimal" | "numeric"; placeholder?: string },
) {
  return (
    <Labelled {...props}>
      <input
        id={props.name}
        name={props.name}
        type={props.type ?? "text"}
        value={props.draft.values[props.name] ?? ""}
        autocomplete="off"
        {...(props.inputmode ? { inputmode: props.inputmode } : {})}
        {...(props.placeholder ? { placeholder: props.placeholder } : {})}
        {...describedBy(props)}
      />
    </Labelled>
  );
}

export function AreaField(props: FieldProps) {
  return (
    <Labelled {...props}>
      <textarea id={props.name} name={props.name} spellcheck={false} {...describedBy(props)}>
        {props.draft.values[props.name] ?? ""}
      </textarea>
    </Labelled>
  );
}

export function SelectField(
  props: FieldProps & { options: readonly (readonly [value: string, title: string])[] },
) {
  const chosen = props.draft.values[props.name];
  return (
    <Labelled {...props}>
      <select id={props.name} name={props.name} {...describedBy(props)}>
        {props.options.map(([value, title]) => (
          <option value={value} selected={value === chosen}>
            {title}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** What went wrong, said once at the top, each field linked. */
export function Problems({ draft }: { draft: Draft }) {
  const errors = Object.entries(draft.errors);
  if (draft.problem === null && errors.length === 0) return null;
  return (
    <div class="notice bad" role="alert">
      <strong>{draft.problem ?? "Some fields need another look."}</strong>
      {errors.length > 0 && (
        <ul>
          {errors.map(([name, message]) => (
            <li>
              <a href={`#${name}`}>{name.replaceAll("_", " ")}</a>: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
