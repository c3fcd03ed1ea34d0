/** The binding of Workers AI, as far as a Worker sees it, and the context of its requests. */

const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const EVENTS = [{ response: "Hello" }, { response: "!" }, { response: "", usage: USAGE }];

/** As Workers AI answers: whole as an object, streamed as a stream of bytes. */
function answerTo({ stream }) {
  if (stream !== true) return { response: "Hello!", usage: USAGE };
  const lines = [...EVENTS.map((event) => JSON.stringify(event)), "[DONE]"];
  return new Blob(lines.map((line) => `data: ${line}\n\n`)).stream();
}

export async function started() {
  const { default: worker } = await import("./worker.mjs");
  const called = [];
  const background = [];
  const { SLUICE_URL, SLUICE_KEY } = process.env;
  const run = async (model, inputs) => {
    called.push({ model, inputs });
    return answerTo(inputs);
  };
  const env = { AI: { run }, SLUICE_URL, SLUICE_KEY };
  const context = { waitUntil: (work) => void background.push(work) };
  const ask = async (path) => {
    const init = { method: "POST", body: "Hi", headers: { "x-customer": "acme" } };
    const answer = await worker.fetch(new Request(`https://app.example.com${path}`, init), env, context);
    return { status: answer.status, text: await answer.text() };
  };
  return { ask, called, ended: () => Promise.all(background) };
}
