import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { OtlpReceiver } from "#testing/node/otlp-receiver.js";
import { runToEnd } from "../support/child.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { agentText, agentWords } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { totalsOfMetrics, totalsOfSpans, totalsOfUsage } from "../support/telemetry-totals.js";
import { useTestScope } from "../support/test-scope.js";

const limitMs = 120_000;

interface Run {
  /** Agent, as for `--agent`. */
  readonly agent?: string;
  readonly prompt?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Contents of config.jsonc, and of the project's file. */
  readonly config?: object;
  readonly project?: object;
}

describe("chat with telemetry", () => {
  const scope = useTestScope();

  async function chat(given: Run = {}) {
    const { agent = "eliza", prompt = "I am sad about /secret/path", variables = {}, config, project } = given;
    const folder = scope().use(await createCommandFolder());
    const configFolder = join(folder.root, "config");
    await mkdir(configFolder, { recursive: true });
    if (config) await writeFile(join(configFolder, "config.jsonc"), JSON.stringify(config));
    if (project) {
      await mkdir(join(folder.workspace, ".symposium"), { recursive: true });
      await writeFile(join(folder.workspace, ".symposium", "config.jsonc"), JSON.stringify(project));
    }
    const env = { ...commandEnvironment(folder), SYMPOSIUM_CONFIG_DIR: configFolder, ...variables };
    const ours = async (...words: readonly string[]) =>
      runToEnd({ words: [...conductorWords, ...words], env, cwd: folder.workspace }, limitMs);
    const answer = await ours("chat", "--log", "error", "--agent", agent, "--yes", "--output", "json", prompt);
    assert.deepEqual(await survivingProcesses(folder.root), new Map());
    return { ...answer, usage: totalsOfUsage((await ours("usage", "--json")).stdout) };
  }

  it("sends nothing unless a variable or the setting names a receiver, even if a repository names one", async () => {
    await using receiver = await OtlpReceiver.start();
    const { code, usage } = await chat({ project: { telemetry: { endpoint: receiver.url } } });
    assert.deepEqual([code, usage.turns, receiver.headers.length], [0, 1, 0]);
  });

  it("sends spans and metrics with the totals of `usage`, without contents", async () => {
    await using receiver = await OtlpReceiver.start();
    const { code, usage, stderr } = await chat({ variables: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    assert.equal(code, 0, stderr);
    assert.deepEqual([totalsOfSpans(receiver), totalsOfMetrics(receiver)], [usage, usage]);
    assert.deepEqual(receiver.tree(), ["session > invoke_agent eliza", "symposium", "symposium > session"]);
    assert.doesNotMatch(receiver.text, /sad|secret/);
  });

  it("sends a tool call, a permission and tokens of any agent to the receiver in config.jsonc", async () => {
    await using receiver = await OtlpReceiver.start();
    const prompt = "permission\nusage";
    const { code, usage, stderr } = await chat({
      agent: agentText(),
      prompt,
      config: { telemetry: { endpoint: receiver.url } },
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual([totalsOfSpans(receiver), totalsOfMetrics(receiver)], [usage, usage]);
    assert.ok(usage.turns === 1 && usage.toolCalls === 1 && usage.inputTokens > 0, JSON.stringify(usage));
    const asked = receiver.spans.find(({ name }) => name === "request_permission");
    assert.equal(asked?.attributes["symposium.permission.outcome"], "allow_once");
  });

  it("lets the agent's own telemetry join the trace", async () => {
    await using receiver = await OtlpReceiver.start();
    const folder = scope().use(await createCommandFolder());
    const file = join(folder.root, "traceparent");
    const [node = "", program = ""] = agentWords();
    const script = `fs.writeFileSync(${JSON.stringify(file)}, process.env.TRACEPARENT ?? ""); import(${JSON.stringify(
      pathToFileURL(program).href,
    )})`;
    const { code, stderr } = await chat({
      agent: shellWords([node, "-e", script]),
      prompt: "full",
      variables: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    });
    assert.equal(code, 0, stderr);
    const root = receiver.spans.find(({ name }) => name === "symposium");
    assert.equal(await readFile(file, "utf8"), `00-${root?.traceId}-${root?.spanId}-01`);
  });

  it("answers as without telemetry if the receiver hangs, and reports the loss once", async () => {
    await using receiver = await OtlpReceiver.start("hangs");
    const { code, stdout, stderr } = await chat({ variables: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"status":"done"/);
    assert.equal(stderr.match(/telemetry can't be delivered/g)?.length, 1, stderr);
  });
});
