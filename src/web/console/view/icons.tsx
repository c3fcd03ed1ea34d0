/** Inline, so that no asset comes from another host. 16 by 16, in the color of the surrounding text. */
const PATHS = {
  overview: "M2 2h5v6H2zM9 2h5v4H9zM9 8h5v6H9zM2 10h5v4H2z",
  runs: "M3 2.5 13 8 3 13.5z",
  budgets:
    "M8 1.5v13M11 4.2C10.3 3.4 9.2 3 8 3 6.3 3 5 3.9 5 5.3 5 8.4 11.2 7 11.2 10.3 11.2 11.9 9.8 13 8 13c-1.5 0-2.7-.6-3.4-1.5",
  limits: "M2 12a6 6 0 1 1 12 0M8 12l3-4",
  keys: "M10.5 2a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM8 8l-5.5 5.5M5 11l1.5 1.5",
  policies: "M8 1.5 13.5 4v4c0 3-2.3 5.3-5.5 6.5C4.8 13.3 2.5 11 2.5 8V4z",
  approvals: "M2.5 8.5 6 12l7.5-8",
  webhooks:
    "M4 4.5a2 2 0 1 1 3 1.7L5 10M12 4.5a2 2 0 0 0-3.5-1.3M5 10a2 2 0 1 0 1.5 3h5M11.5 9.5a2 2 0 1 1 0 3.5M9 6l2.5 3.5",
  audit: "M4 1.5h6l3 3v10H4zM6.5 7h4M6.5 10h4",
  deprecations: "M8 1.5v7l4 2.5M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Z",
  people:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 3a2.3 2.3 0 0 1 0 4.5M12 9.8c1.6.5 2.5 1.8 2.5 3.7",
  support:
    "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM3.4 3.4 6 6M10 10l2.6 2.6M12.6 3.4 10 6M6 10l-2.6 2.6",
  customers: "M8 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4ZM2.8 14c.3-3 2.4-4.5 5.2-4.5s4.9 1.5 5.2 4.5",
  packs: "M2 5.5h12v8H2zM2 5.5 4 2.5h8l2 3M8 5.5v8",
  rates: "M2 13V9M5 13V6M8 13V3M11 13V7M14 13v-3",
  models: "M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6",
  routing: "M2 12h3c4 0 2-8 6-8h3M11.5 1.5 14 4l-2.5 2.5M9 12h5M11.5 9.5 14 12l-2.5 2.5",
  evals: "M2.5 2.5h11v11h-11zM5 8.5l2 2 4-5",
  safety:
    "M8 4.5c3 0 5.3 1.6 6.5 3.5C13.3 9.9 11 11.5 8 11.500S2.7 9.9 1.5 8C2.7 6.1 5 4.5 8 4.500ZM8 6.500a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z",
  benchmarks: "M2 13.500h12M4 13.500v-4M8 13.500V3M12 13.500V7",
  data: "M8 2c3.3 0 5.5.9 5.5 2S11.3 6 8 6 2.5 5.1 2.5 4 4.7 2 8 2ZM2.5 4v8c0 1.1 2.2 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.2 2 5.5 2s5.5-.9 5.5-2",
  settings:
    "M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M10 2.700a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.600ZM6 9.700a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.600Z",
  refusals: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM3.5 3.5l9 9",
  explain: "M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2ZM10.6 10.600 14 14",
  events: "M9 1.500 3 9h5l-1 5.500L13 7H8z",
  menu: "M2 4h12M2 8h12M2 12h12",
  sso: "M6 2.5H2.5v11H6M7 8h7M11 5l3 3-3 3",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A gate in its frame, half raised, with water beneath. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d="M4 3v12M20 3v12" />
      <path d="M7 3h10v7.5H7z" fill="currentColor" stroke="none" opacity=".9" />
      <path d="M2 18.5c1.7 0 1.7 1.5 3.3 1.5s1.7-1.5 3.4-1.5S10.3 20 12 20s1.7-1.5 3.3-1.5S17 20 18.7 20s1.6-1.5 3.3-1.5" />
    </svg>
  );
}

/** The same mark as a file, for the browser's tab. */
export const iconFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0a6b66" stroke-width="2" stroke-linecap="round"><path d="M4 3v12M20 3v12"/><path d="M7 3h10v7.5H7z" fill="#0a6b66" stroke="none"/><path d="M2 18.5c1.7 0 1.7 1.5 3.3 1.5s1.7-1.5 3.4-1.5S10.3 20 12 20s1.7-1.5 3.3-1.5S17 20 18.7 20s1.6-1.5 3.3-1.5"/></svg>`;
