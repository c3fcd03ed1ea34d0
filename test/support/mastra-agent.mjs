/**
 * In place of `@mastra/core/agent`, which brings 130 MB: the requests that version 1.71.0 makes for an agent whose model is an
 * object with `id`, `url`, `apiKey` and `headers`, and the error that it throws, as they were seen on the wire. Without tools, an
 * agent makes one call.
 */
export class Agent {
  #options;

  constructor(options) {
    this.#options = options;
  }

  async #send(prompt, more) {
    const { instructions, model } = this.#options;
    const [provider, ...name] = model.id.split("/");
    const messages = [
      { role: "system", content: instructions },
      { role: "user", content: prompt },
    ];
    const response = await fetch(`${model.url}/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${model.apiKey}`,
        "content-type": "application/json",
        "user-agent": `ai-sdk/${provider}-compatible/2.0.62`,
        ...model.headers,
      },
      body: JSON.stringify({ model: name.join("/"), messages, ...more }),
    });
    if (response.ok) return response;
    const responseBody = await response.text();
    const data = JSON.parse(responseBody);
    throw Object.assign(new Error(data.error.message), { statusCode: response.status, responseBody, data });
  }

  async generate(prompt) {
    const answer = await (await this.#send(prompt, {})).json();
    return { text: answer.choices[0].message.content };
  }

  async stream(prompt) {
    const response = await this.#send(prompt, { stream: true });
    return { textStream: textsOf(await response.text()) };
  }
}

async function* textsOf(events) {
  for (const line of events.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    yield JSON.parse(line.slice(6)).choices[0]?.delta.content ?? "";
  }
}
