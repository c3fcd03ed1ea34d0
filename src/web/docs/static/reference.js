/** Loads the reference that makes calls, and shows it in place of the words for browsers without scripts. */

/** Its name changes with its content. */
const SCALAR = "/docs/assets/scalar.js";

/** Colors with enough contrast for small text. */
const COLORS = `
:root { --scalar-custom-header-height: 49px; }
.light-mode { --scalar-color-2: #454b52; --scalar-color-3: #565d65; --scalar-color-green: #0a6238; --scalar-color-red: #a8201a;
  --scalar-color-blue: #0b4f96; --scalar-color-orange: #7d4300; --scalar-color-yellow: #645000; --scalar-color-purple: #5b32a3;
  --scalar-color-accent: #0b4f96; --scalar-sidebar-search-color: #454b52; }
.dark-mode { --scalar-color-2: #c6ccd2; --scalar-color-3: #b4bbc2; --scalar-color-green: #6fdba6; --scalar-color-red: #ff9d96;
  --scalar-color-blue: #9ccaff; --scalar-color-orange: #ffbd80; --scalar-color-yellow: #f2d672; --scalar-color-purple: #cbb2ff;
  --scalar-color-accent: #9ccaff; --scalar-sidebar-search-color: #c6ccd2; }
.endpoint .endpoint-path { white-space: normal; overflow-wrap: anywhere; }
.sidebar-search-placeholder, .badge, .endpoint-method { opacity: 1 !important; }
`;

/** A button's name begins with the words that are seen on it. What has no name, or a role that it cannot have, is mended. */
function nameControls(root) {
  for (const button of root.querySelectorAll("button.show-more[aria-label]")) {
    const seen = button.textContent.trim();
    if (!button.getAttribute("aria-label").startsWith(seen)) {
      button.setAttribute("aria-label", `${seen}: ${button.getAttribute("aria-label")}`);
    }
  }
  for (const button of root.querySelectorAll('button[class*="copy-button"]:not([aria-label])')) {
    button.setAttribute("aria-label", "Copy");
  }
  for (const button of root.querySelectorAll("button[role=none][aria-label]")) button.removeAttribute("role");
  for (const editor of root.querySelectorAll(".cm-content[role=textbox]:not([aria-label])")) {
    editor.setAttribute("aria-label", "Body");
  }
  // The client brings a second place for notifications.
  for (const place of root.querySelectorAll('[role=dialog] section[aria-label^="Notifications"]')) {
    place.setAttribute("aria-label", "Messages of the client");
  }
  // The search always shows its list. A field of the client opens it while one types.
  for (const field of root.querySelectorAll("[role=combobox]:not([aria-expanded])")) {
    field.setAttribute("aria-expanded", String(field.matches("[role=dialog] input")));
  }
}

/**
 * The client is a modal dialog with a main landmark of its own: what is behind it is out of reach while it is open. Its
 * close button stands where the links of the bar are.
 */
function shutBehindClient(root) {
  const isOpen = root.querySelector(".scalar-client--open") !== null;
  for (const main of root.querySelectorAll("main:not([role=dialog] main)")) main.inert = isOpen;
  document.getElementById("bar").inert = isOpen;
}

const plain = document.getElementById("plain");
const mount = document.getElementById("reference");

function start() {
  if (globalThis.Scalar === undefined) return;
  globalThis.Scalar.createApiReference(mount, {
    url: "/docs/openapi.json",
    theme: "default",
    layout: "modern",
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
    hiddenClients: true,
    hideModels: true,
    documentDownloadType: "json",
    defaultOpenFirstTag: true,
    persistAuth: false,
    customCss: COLORS,
  });
  new MutationObserver(() => nameControls(document.body)).observe(document.body, {
    childList: true,
    subtree: true,
  });
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.matches(".scalar-container"))) shutBehindClient(mount);
  }).observe(document.body, { attributeFilter: ["class"], subtree: true });
  plain.hidden = true;
  mount.hidden = false;
}

if (plain !== null && mount !== null) {
  const script = document.createElement("script");
  script.src = SCALAR;
  script.addEventListener("load", start);
  document.head.append(script);
}
