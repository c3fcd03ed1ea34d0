import type { Option } from "./field.ts";

/** A filter of a list, with the API's parameter name. */
export interface Filter {
  readonly name: string;
  readonly title: string;
  readonly options?: readonly Option[];
  readonly isDate?: boolean;
  /** Shown among more filters, unless it is used. */
  readonly isRare?: boolean;
  /** How it is written. */
  readonly hint?: string;
}

export function isFiltered(of: readonly Filter[], query: URLSearchParams): boolean {
  return of.some(({ name }) => name !== "sort" && Boolean(query.get(name)?.trim()));
}

interface ErrorAnswer {
  readonly error: { readonly message: string; readonly details: object } | null;
}

/** The filters of a list, with the API's field errors. It uses GET, so that a filtered list has a URL. */
export function Filters(props: {
  readonly path: string;
  readonly of: readonly Filter[];
  readonly query: URLSearchParams;
  /** Null: nothing can be wrong with them. */
  readonly answer: ErrorAnswer | null;
  /** The accessible name, where a page has more than one of these. */
  readonly label?: string;
  /** The other fields of the page's address. */
  readonly keep?: Readonly<Record<string, string>>;
}) {
  const { fields = [] }: { fields?: readonly { field: string; message: string }[] } =
    props.answer?.error?.details ?? {};
  const drawn = (filter: Filter) => {
    const wrong = fields.find(({ field }) => field === filter.name)?.message;
    return (
      <div>
        <label for={filter.name}>{filter.title}</label>
        {input(filter, props.query.get(filter.name) ?? "", wrong)}
        {wrong && (
          <span class="error" id={`${filter.name}-error`}>
            {wrong}
          </span>
        )}
      </div>
    );
  };
  const rare = props.of.filter(({ isRare }) => isRare === true);
  return (
    <form
      class="filters"
      method="get"
      action={props.path}
      role="search"
      {...(props.label === undefined ? {} : { "aria-label": props.label })}
    >
      {Object.entries(props.keep ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.of.filter(({ isRare }) => isRare !== true).map(drawn)}
      {rare.length > 0 && (
        <details open={isFiltered(rare, props.query)}>
          <summary>More filters</summary>
          <div>{rare.map(drawn)}</div>
        </details>
      )}
      <button type="submit">Filter</button>
    </form>
  );
}

function input({ name, options, isDate, hint }: Filter, value: string, wrong: string | undefined) {
  const shared = {
    id: name,
    name,
    ...(hint === undefined ? {} : { placeholder: hint }),
    ...(wrong ? { "aria-invalid": "true", "aria-describedby": `${name}-error` } : {}),
  };
  if (options === undefined) {
    const isDay = isDate === true && (value === "" || /^\d{4}-\d{2}-\d{2}$/.test(value));
    return <input type={isDay ? "date" : "text"} value={value} autocomplete="off" {...shared} />;
  }
  return (
    <select {...shared}>
      {options.map(([option, title]) => (
        <option value={option} selected={option === value}>
          {title}
        </option>
      ))}
    </select>
  );
}
