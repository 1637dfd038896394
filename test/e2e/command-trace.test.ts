import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { parseObject } from "../support/json.js";
import { projectFolder } from "../support/raw-client.js";
import { createRunFolder } from "../support/run-folder.js";
import { agentText, proxyText } from "../support/scripted-programs.js";
import { commandEnvironment, StartedCommand } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { findChromium, launchChromium, NoChromium } from "../support/vscode/chromium.js";

const secrets = ["env-secret-1", "header-secret-2", "url-secret-3", "bearer-secret-4", "flag-secret-5"];
const [inEnv, inHeader, inUrl, inBearer, inFlag] = secrets;
const inOwnEnv = "own-env-secret-6";
const inAgentEnv = "agent-env-secret-7";

const mcpServers = [
  { name: "files", command: "/bin/true", args: ["--token", inFlag], env: [{ name: "API_KEY", value: inEnv }] },
  {
    type: "http",
    name: "web",
    url: `https://user:${inUrl}@example.com/mcp?api_key=${inUrl}`,
    headers: [
      { name: "X-Api-Key", value: inHeader },
      { name: "Authorization", value: `Bearer ${inBearer}` },
    ],
  },
];

describe("--trace-dir", () => {
  const scope = useTestScope();

  it("records every hop without credentials, and trace makes one page of it", async () => {
    const chain = [
      "--proxy",
      proxyText("mid"),
      "--proxy",
      proxyText("current", "--mcp", "tools"),
      "--agent",
      `AGENT_PASSWORD=${inAgentEnv} ${agentText()}`,
    ];
    const started = await StartedCommand.start(scope(), ["run-with", ...chain, "--trace-dir", "traces"], {
      env: { OWN_API_KEY: inOwnEnv },
    });
    const { client, folder } = started;
    await client.initialize();
    const { value } = await client.request("session/new", { cwd: projectFolder, mcpServers });
    const { sessionId } = parseObject(JSON.stringify(value));
    const repeated = [inEnv, inHeader, inBearer, inOwnEnv, inAgentEnv];
    await client.prompt(String(sessionId), `echo seen in the trace: ${JSON.stringify({ notes: repeated })}`);
    const bridgeToken = /Bearer ([\w-]{43})/.exec(await client.receivedByAgent())?.[1] ?? "no token";
    client.endInput();
    await started.endsCleanly({ code: 0, signal: null });

    const traces = join(folder.workspace, "traces");
    const [name = "", ...others] = await readdir(traces);
    assert.deepEqual(others, []);
    const text = await readFile(join(traces, name), "utf8");
    const lines = text.trimEnd().split("\n").map(parseObject);
    const headers = lines.filter(({ type }) => type === "header");
    assert.deepEqual(
      headers.map(({ components }) => (Array.isArray(components) ? components.length : undefined)),
      [4],
    );
    const hops = new Set(
      lines
        .filter(({ type, method }) => type === "request" && method === "session/prompt")
        .map(({ from, to }) => `${String(from)} to ${String(to)}`),
    );
    assert.equal(hops.size, 3, [...hops].join());
    assert.match(text, /seen in the trace/);
    const ends = lines.filter(({ type, event }) => type === "process" && event === "exit");
    // One that has not gone a moment after its input is sent SIGTERM.
    assert.deepEqual(
      ends.map(({ code, signal }) => (code === 0 && signal === null) || (code === null && signal === "SIGTERM")),
      [true, true, true],
    );

    const words = [...conductorWords, "trace", join(traces, name)];
    const rendered = await runToEnd({ words, env: commandEnvironment(folder), cwd: folder.workspace }, 120_000);
    assert.equal(rendered.code, 0, rendered.stderr);
    const page = await readFile(rendered.stdout.trim(), "utf8");
    assert.match(page, /^<!doctype html>/i);
    assert.match(page, /session\/prompt/);
    assert.doesNotMatch(page, /<(?:script|link|img)[^>]+(?:src|href)=["']?https?:/i);
    for (const secret of [...secrets, inOwnEnv, inAgentEnv, bridgeToken]) {
      assert.equal(text.includes(secret), false, `${secret} stands in the trace`);
      assert.equal(page.includes(secret), false, `${secret} stands in the page`);
    }
  });

  it("makes a page that folds, filters and shows messages under its own policy", async function () {
    this.timeout(scaledMs(10 * 60_000));
    let program: string;
    try {
      program = await findChromium();
    } catch (thrown) {
      if (!(thrown instanceof NoChromium)) throw thrown;
      this.test?.parent?.tests.forEach((test) => (test.title += test === this.test ? ` (${thrown.message})` : ""));
      return this.skip();
    }
    const folder = scope().use(await createRunFolder("trace-page"));
    const [file, to] = [join(folder.workspace, "chat.jsonl"), { protocol: "acp", from: "Agent", to: "Client" }];
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "la " } };
    const events = [
      { type: "request", ts: 1, protocol: "acp", from: "Client", to: "Agent", id: 1, method: "session/prompt" },
      ...[2, 3, 4].map((ts) => ({
        type: "notification",
        ts,
        ...to,
        method: "session/update",
        params: { update: chunk },
      })),
      {
        type: "response",
        ts: 5,
        ...to,
        id: 1,
        is_error: false,
        payload: { stopReason: "end_turn" },
        duration_ms: 4_000,
      },
    ];
    await writeFile(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const rendered = await runToEnd(
      { words: [...conductorWords, "trace", file], env: commandEnvironment(folder), cwd: folder.workspace },
      120_000,
    );
    await using browser = await launchChromium(program);
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    await page.goto(pathToFileURL(rendered.stdout.trim()).href);
    assert.equal(await page.locator("#shown").textContent(), "5 events");
    assert.equal(await page.locator(".row").count(), 3);
    await page.locator(".row.run").click();
    assert.equal(await page.locator(".row.member").count(), 3);
    await page.locator("#hide-updates").check();
    await until(
      () => page.locator(".row").count(),
      (count) => count === 2,
    );
    await page.locator(".row.request").click();
    await page.getByRole("button", { name: "Go to response" }).click();
    assert.match((await page.locator("#detail pre").textContent()) ?? "", /"end_turn"/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#detail").isHidden(), true);
    assert.deepEqual(faults, []);
  });

  it("says what is wrong with a file that is no trace", async () => {
    const started = await StartedCommand.start(scope(), ["trace", "no-such-file.jsonl"]);
    assert.deepEqual(await started.ended(), { code: 2, signal: null });
    assert.match(started.client.child.stderrTail, /no-such-file\.jsonl/);
  });
});
