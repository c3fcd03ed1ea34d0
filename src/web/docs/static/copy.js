/** A button at each block of code, which copies it. Without scripts, code is selected by hand. */
const hasClipboard = navigator.clipboard !== undefined;

async function copyFrom(block, button) {
  const words = button.textContent;
  await navigator.clipboard.writeText(block.textContent);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = words), 1500);
}

/** Blocks that are folded away get theirs when they are opened: there are hundreds of them. */
function addButtons(root) {
  for (const block of root.querySelectorAll("pre")) {
    if (block.parentElement.matches(".copied") || block.closest("details:not([open])") !== null) continue;
    const around = document.createElement("div");
    around.className = "copied";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copyFrom(block, button));
    block.replaceWith(around);
    around.append(block, button);
  }
}

if (hasClipboard) {
  addButtons(document);
  document.addEventListener("toggle", ({ target }) => addButtons(target), true);
}
