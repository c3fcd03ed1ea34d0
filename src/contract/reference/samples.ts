/** How an operation is called, in three languages. Each sample runs as it is, once KEY is set. */

interface Sample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface SampledOperation {
  readonly method: string;
  /** With examples in place of its parameters. */
  readonly url: string;
  readonly isOpen: boolean;
  readonly body: unknown;
}

export function samplesOf(called: SampledOperation): Sample[] {
  return [
    { lang: "shell", label: "curl", source: curl(called) },
    { lang: "typescript", label: "TypeScript", source: typescript(called) },
    { lang: "python", label: "Python", source: python(called) },
  ];
}

function curl({ method, url, isOpen, body }: SampledOperation): string {
  const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}"${url}"`];
  if (!isOpen) parts.push(`-H "Authorization: Bearer $KEY"`);
  if (body !== undefined) {
    parts.push(
      `-H "Content-Type: application/json"`,
      `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
    );
  }
  return parts.join(" \\\n  ");
}

function typescript({ method, url, isOpen, body }: SampledOperation): string {
  const headers = [
    ...(isOpen ? [] : ["    authorization: `Bearer ${process.env.KEY}`,"]),
    ...(body === undefined ? [] : ['    "content-type": "application/json",']),
  ];
  const init = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length === 0 ? [] : ["  headers: {", ...headers, "  },"]),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), "  ")}),`]),
  ];
  const call = init.length === 0 ? `fetch("${url}")` : `fetch("${url}", {\n${init.join("\n")}\n})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.text());`;
}

function python({ method, url, isOpen, body }: SampledOperation): string {
  const args = [
    `    "${url}",`,
    ...(isOpen ? [] : [`    headers={"Authorization": f"Bearer {os.environ['KEY']}"},`]),
    ...(body === undefined ? [] : [`    json=${indented(pythonText(body), "    ")},`]),
  ];
  const imports = isOpen ? "import requests" : "import os\nimport requests";
  return `${imports}\n\nresponse = requests.${method.toLowerCase()}(\n${args.join("\n")}\n)\nprint(response.status_code, response.text)`;
}

function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`);
}

/** JSON with the words of Python. */
function pythonText(value: unknown, by = ""): string {
  const inner = `${by}    `;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    const items = value.map((one) => `${inner}${pythonText(one, inner)},\n`);
    return items.length === 0 ? "[]" : `[\n${items.join("")}${by}]`;
  }
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${pythonText(one, inner)},\n`,
  );
  return entries.length === 0 ? "{}" : `{\n${entries.join("")}${by}}`;
}
