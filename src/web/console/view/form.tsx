import type { Child } from "hono/jsx";
import type { FormValues, Field } from "./field.ts";

/** Hidden fields of every form: its token, and an idempotency key, so that a form sent twice acts once. */
export interface FormGuard {
  readonly csrf: string;
  readonly once: string;
}

export function Form(props: {
  readonly action: string;
  readonly guard: FormGuard;
  readonly children: Child;
  readonly class?: string;
  /** True if it sends a file. */
  readonly isUpload?: boolean;
}) {
  return (
    <form
      method="post"
      action={props.action}
      class={props.class ?? "form"}
      {...(props.isUpload === true ? { enctype: "multipart/form-data" } : {})}
    >
      <input type="hidden" name="_csrf" value={props.guard.csrf} />
      <input type="hidden" name="_once" value={props.guard.once} />
      {props.children}
    </form>
  );
}

interface ActionProps {
  readonly action: string;
  readonly guard: FormGuard;
  readonly label: string;
  /** The accessible label, for readers who cannot see the row. */
  readonly about?: string;
  /** The confirmation text of an action that cannot be undone. */
  readonly confirm?: string;
}

/** One button that does one thing. */
export function ActionButton(props: ActionProps) {
  const { action, guard, label, about = label, confirm } = props;
  if (confirm === undefined) {
    return (
      <Form action={action} guard={guard} class="">
        <button type="submit" class="small-button" aria-label={about}>
          {label}
        </button>
      </Form>
    );
  }
  return <Asking action={action} guard={guard} label={label} about={about} confirm={confirm} />;
}

/** A button that asks before it acts. Fields beside the confirmation stand above the buttons. */
export function Asking(props: {
  readonly action: string;
  readonly guard: FormGuard;
  readonly label: string;
  readonly about: string;
  readonly confirm: string;
  readonly asked?: Child;
}) {
  const { action, guard, label, about, confirm, asked } = props;
  const id = `ask-${guard.once}`;
  return (
    <>
      <button type="button" class="small-button danger" popovertarget={id} aria-label={about}>
        {label}
      </button>
      <div class="ask" id={id} popover="auto" role="dialog" aria-label={about}>
        <Form action={action} guard={guard} class="stack">
          <p>{confirm}</p>
          {asked}
          <div class="inline">
            <button type="submit" class="danger solid">
              {about}
            </button>
            <button type="button" popovertarget={id} popovertargetaction="hide">
              Cancel
            </button>
          </div>
        </Form>
      </div>
    </>
  );
}

interface FieldsProps {
  readonly of: readonly Field[];
  readonly draft: FormValues;
  /** Prefix that keeps field ids unique on a page. */
  readonly scope?: string;
}

export function fieldId(name: string, scope?: string): string {
  const plain = name.replaceAll(".", "-");
  return scope === undefined ? plain : `${scope}-${plain}`;
}

export function Fields({ of, draft, scope }: FieldsProps) {
  return <>{of.map((field) => labelled(field, draft, fieldId(field.name, scope)))}</>;
}

function labelled(field: Field, draft: FormValues, id: string) {
  if (field.kind === "heading") return <h2>{field.label}</h2>;
  const error = draft.errors[field.name];
  if (field.kind === "checks") return checks(field, draft, id);
  const optional = !field.required && field.kind !== "flag" && field.options === undefined;
  const label = (
    <label for={id}>
      {field.label}
      {optional && <span class="quiet"> (optional)</span>}
    </label>
  );
  const shape = field.kind === "flag" ? "field flag" : "field";
  return (
    <div class={field.half ? `${shape} half` : shape}>
      {field.kind === "flag" ? null : label}
      {control(field, draft.values[field.name] ?? "", described(id, field, error))}
      {field.kind === "flag" ? label : null}
      {field.hint && (
        <span class="hint" id={`${id}-hint`}>
          {field.hint}
        </span>
      )}
      {error && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

/** A group of checkboxes with one name. */
function checks(field: Field, draft: FormValues, id: string) {
  const chosen = (draft.values[field.name] ?? "").split(" ");
  const error = draft.errors[field.name];
  return (
    <fieldset class="field" id={id} {...(error ? { "aria-describedby": `${id}-error` } : {})}>
      <legend>{field.label}</legend>
      {field.hint && <span class="hint">{field.hint}</span>}
      <div class="checks">
        {field.options?.map(([value, title]) => (
          <label>
            <input type="checkbox" name={field.name} value={value} checked={chosen.includes(value)} />
            {title}
          </label>
        ))}
      </div>
      {error && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </fieldset>
  );
}

type Attributes = Readonly<Record<string, string>>;

function described(id: string, field: Field, error: string | undefined): Attributes {
  const ids = [...(field.hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : [])];
  return {
    id,
    name: field.name,
    ...(ids.length > 0 ? { "aria-describedby": ids.join(" ") } : {}),
    ...(error ? { "aria-invalid": "true" } : {}),
  };
}

const INPUTS: Readonly<Partial<Record<Field["kind"], Attributes>>> = {
  money: { inputmode: "decimal" },
  integer: { inputmode: "numeric" },
  number: { inputmode: "decimal" },
  moment: { type: "datetime-local" },
  secret: { type: "password" },
  file: { type: "file" },
};

function control(field: Field, value: string, attributes: Attributes) {
  if (field.kind === "area") {
    return (
      <textarea spellcheck={false} {...attributes}>
        {value}
      </textarea>
    );
  }
  if (field.kind === "flag") return <input type="checkbox" checked={value === "on"} {...attributes} />;
  if (field.options !== undefined) {
    return (
      <select {...attributes}>
        {field.options.map(([option, title]) => (
          <option value={option} selected={option === value}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  const placeholder = field.placeholder === undefined ? {} : { placeholder: field.placeholder };
  return (
    <input
      type="text"
      value={field.kind === "secret" || field.kind === "file" ? "" : value}
      autocomplete="off"
      {...INPUTS[field.kind]}
      {...placeholder}
      {...(field.isOffered === true ? { list: offersId(field.name) } : {})}
      {...attributes}
    />
  );
}

/** The id of the suggestions for a field. */
export const offersId = (name: string) => `${fieldId(name)}-offered`;

/** The suggestions of a browser for a text field. */
export function Offered({ id, of }: { readonly id: string; readonly of: readonly string[] }) {
  return (
    <datalist id={id}>
      {of.map((value) => (
        <option value={value} />
      ))}
    </datalist>
  );
}

/** A summary of errors at the top, with a link to each field. */
export function Problems({ of, draft, scope }: FieldsProps) {
  const wrong = of.filter(({ name }) => draft.errors[name] !== undefined);
  if (draft.problem === null && wrong.length === 0) return null;
  return (
    <div class="notice bad" role="alert">
      <strong>{draft.problem ?? "Nothing was changed. Correct the fields below."}</strong>
      {wrong.length > 0 && (
        <ul>
          {wrong.map(({ name, label }) => (
            <li>
              <a href={`#${fieldId(name, scope)}`}>{label}</a>: {draft.errors[name]}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The name of what a form sends if its question was answered with yes. */
export const SURE = "_sure";

/** The end of a form that has a page of its own. If the form asks once more, its button answers. */
export function SaveOrCancel(props: {
  readonly save: string;
  readonly cancel: string;
  readonly isAsking?: boolean;
}) {
  const { save, cancel, isAsking = false } = props;
  return (
    <div class="inline">
      <button class="primary" type="submit" {...(isAsking ? { name: SURE, value: "yes" } : {})}>
        {isAsking ? `Yes, ${save.charAt(0).toLowerCase()}${save.slice(1)}` : save}
      </button>
      <a class="button" href={cancel}>
        Cancel
      </a>
    </div>
  );
}
