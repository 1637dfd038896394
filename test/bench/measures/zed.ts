import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { shellWords } from "../../support/conductor-command.js";
import { type OpenAiEndpoint, startOpenAiEndpoint } from "../../support/openai-endpoint.js";
import { commandEnvironment, createCommandFolder } from "../../support/started-command.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const prompt = "stream 1 40";

/** Measures Zed's wait for the first token if an agent is a language model. `release` measures how agents start for Zed. */
export async function measureZed(run: BenchRun): Promise<Row[]> {
  return [await measureFirstToken(run)];
}

/** One conversation that goes on and on, with the endpoint and with the agent alone. */
async function measureFirstToken(run: BenchRun): Promise<Row> {
  const { lanes, scale } = run;
  const samples = new Samples();
  for (let launch = 0; launch < scale.launches; launch++) {
    await using folder = await createCommandFolder(JSON.stringify({ proxies: [] }));
    const env = { ...commandEnvironment(folder), PATH: benchPath };
    await using endpoint = await startOpenAiEndpoint(folder, [shellWords(lanes.direct())], env);
    await using direct = await run.open(lanes.direct());
    const conversation = new HttpConversation(endpoint, (await endpoint.client.models.list()).data[0]?.id ?? "");
    for (let turn = -5; turn < scale.turnRounds * scale.turnsPerRound; turn++) {
      const { ms } = await direct.prompt(prompt, 1);
      const firstMs = await conversation.prompt();
      if (turn < 0) continue;
      samples.add("direct", ms);
      samples.add("endpoint", firstMs);
    }
    conversation.end();
  }
  return {
    measure: "serve-openai: time to first token, added p50",
    unit: "ms",
    isAdded: true,
    direct: samples.median("direct"),
    ours: samples.difference("endpoint", "direct"),
    target: { atMost: 5 },
  };
}

/** A client that costs next to nothing, over one connection that stays open. */
class HttpConversation {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #messages: { readonly role: string; readonly content: string }[] = [];

  constructor(
    private readonly endpoint: OpenAiEndpoint,
    private readonly model: string,
  ) {}

  /** Milliseconds from the request to the first event with text. */
  async prompt(): Promise<number> {
    this.#messages.push({ role: "user", content: prompt });
    const body = JSON.stringify({ model: this.model, stream: true, messages: this.#messages });
    let text = "";
    const start = performance.now();
    const ms = await new Promise<number>((resolve, reject) => {
      let firstMs: number | undefined;
      const sent = request(
        `${this.endpoint.address}/chat/completions`,
        { method: "POST", agent: this.#agent, headers: { authorization: `Bearer ${this.endpoint.token}` } },
        (response) => {
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
            if (firstMs === undefined && text.includes('"content":"x')) firstMs = performance.now() - start;
          });
          response.once("end", () => (firstMs === undefined ? reject(new Error(text)) : resolve(firstMs)));
        },
      );
      sent.once("error", reject);
      sent.end(body);
    });
    this.#messages.push({ role: "assistant", content: contentOf(text) });
    return ms;
  }

  end(): void {
    this.#agent.destroy();
  }
}

function contentOf(stream: string): string {
  return [...stream.matchAll(/"content":("x+")/g)].map(([, text = '""']) => String(JSON.parse(text))).join("");
}
