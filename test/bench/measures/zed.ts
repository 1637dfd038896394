import { Agent, request } from "node:http";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { runToEnd } from "../../support/child.js";
import { conductorProgram, shellWords } from "../../support/conductor-command.js";
import { type OpenAiEndpoint, startOpenAiEndpoint } from "../../support/openai-endpoint.js";
import { npm } from "../../support/packages/install-package.js";
import { repositoryRoot } from "../../support/repository.js";
import { commandEnvironment, createCommandFolder } from "../../support/started-command.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath, type Lane } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const packLimitMs = 120_000;
const prompt = "stream 1 40";

/** What Zed waits for: `initialize` of an entry in its settings and of the npm package, and a model's first token. */
export async function measureZed(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  return [...(await measureStarts(run, note)), await measureFirstToken(run)];
}

async function measureStarts(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  await using folder = await createCommandFolder();
  const installed = await installPackage(folder.root);
  if (typeof installed === "string") note(`zed: the npm package is not measured: ${installed}`);
  const lanes: Readonly<Record<string, Lane>> = {
    settings: ["node", conductorProgram],
    ...(typeof installed !== "string" && { npm: installed.lane }),
  };
  const samples = new Samples();
  for (let round = -1; round < run.scale.starts; round++) {
    for (const [name, lane] of Object.entries(lanes)) {
      const start = performance.now();
      await using client = run.start(lane);
      await client.initialize();
      if (round >= 0) samples.add(name, performance.now() - start);
    }
  }
  const row = (measure: string, name: string): Row => ({
    measure: `Zed: initialize, ${measure}`,
    unit: "ms",
    ours: samples.median(name),
  });
  return [row("entry of the settings", "settings"), row("npm exec of the package", "npm")];
}

/** The package as Zed has it after the first start: in a folder of its own, started by `npm exec`. Or why it is not there. */
async function installPackage(root: string): Promise<{ readonly lane: Lane } | string> {
  await using folder = await createCommandFolder();
  const env = { ...folder.env, PATH: benchPath };
  const staged = join(folder.root, "package");
  const steps: readonly Lane[] = [
    ["node", join(repositoryRoot, "scripts", "release", "npm-package.mjs"), staged],
    [...npm(), "pack", "--pack-destination", folder.root, staged],
  ];
  for (const words of steps) {
    const { code, stderr } = await runToEnd({ words, env, cwd: repositoryRoot }, packLimitMs);
    if (code !== 0) return stderr.trim().slice(-200);
  }
  const archive = (await readdir(folder.root)).find((name) => name.endsWith(".tgz")) ?? "";
  const prefix = join(root, "npx");
  const words = [
    ...npm(),
    "install",
    "--offline",
    "--no-audit",
    "--no-fund",
    "--prefix",
    prefix,
    join(folder.root, archive),
  ];
  const { code, stderr } = await runToEnd({ words, env, cwd: root }, packLimitMs);
  if (code !== 0) return stderr.trim().slice(-200);
  return { lane: [...npm(), "exec", "--yes", "--offline", "--prefix", prefix, "--", "symposium-acp-agent"] };
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
