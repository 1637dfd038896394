import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ideOperationMethod } from "@symposium-dev/core";
import { Child, runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { repositoryRoot } from "../support/repository.js";
import { agentText, proxyText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder, StartedCommand } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { pathToFileURL } from "node:url";
import { objectOf, parseObject } from "../support/json.js";

const limitMs = 120_000;

describe("chat with a prompt", () => {
  const scope = useTestScope();

  async function chat(...words: readonly string[]) {
    const folder = scope().use(await createCommandFolder());
    const command = [...conductorWords, "chat", ...words];
    const outcome = await runToEnd({ words: command, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
    assert.deepEqual(await survivingProcesses(folder.root), new Map());
    return outcome;
  }

  it("keeps the working folder readable, which a shell also names in PWD", async function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no PWD");
    const folder = scope().use(await createCommandFolder());
    const cwd = join(folder.workspace, "a-folder-with-a-long-name", "project");
    await mkdir(cwd, { recursive: true });
    const shell = async (...words: readonly string[]) => {
      const text = [...conductorWords, ...words].map((word) => `'${word}'`).join(" ");
      const line = ["sh", "-c", `cd '${cwd}' && ${text}`];
      return runToEnd({ words: line, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
    };
    assert.equal((await shell("chat", `Read ${cwd}/n.py`)).code, 0);
    const { stdout } = await shell("sessions", "list", "--json");
    const [, id = ""] = /"id": ?"([^"]+)"/.exec(stdout) ?? assert.fail(stdout);
    const shown = await shell("sessions", "show", id);
    assert.ok(shown.stdout.includes(`Read ${cwd}/n.py`), shown.stdout + shown.stderr);
    assert.ok(!`${stdout}${shown.stdout}`.includes("[redacted]"));
  });

  it("says that the conversation cannot be kept, and answers all the same", async () => {
    const folder = scope().use(await createCommandFolder());
    const configFolder = join(folder.root, "config");
    await mkdir(configFolder, { recursive: true });
    await writeFile(join(configFolder, "sessions"), "");
    const env = { ...commandEnvironment(folder), SYMPOSIUM_CONFIG_DIR: configFolder };
    const command = [...conductorWords, "chat", "hello"];
    const { code, stdout, stderr } = await runToEnd({ words: command, env, cwd: folder.workspace }, limitMs);
    assert.equal(code, 0);
    assert.match(stdout, /^\S.*\n$/);
    assert.match(
      stderr,
      /\nsymposium-acp-agent: this conversation could not be stored in `[^`]+sessions`: E[A-Z]+: [^\n]+\n/,
    );
  });

  it("prints the answer of an agent behind proxies", async () => {
    const { code, stdout } = await chat(
      "echo through the chain",
      "--proxy",
      proxyText("mid", "--shout"),
      "--agent",
      agentText(),
    );
    assert.deepEqual([code, stdout.trim()], [0, "THROUGH THE CHAIN"]);
  });

  it("fails with the reason on stderr when the agent ends", async () => {
    const { code, stdout, stderr } = await chat("crash 3", "--agent", agentText());
    assert.notEqual(code, 0);
    assert.equal(stdout.trim(), "");
    assert.match(stderr, /exited with code 3/);
  });
});

describe("eliza", () => {
  const scope = useTestScope();

  it("says the same to the same words when she is deterministic", async () => {
    const answers: string[] = [];
    for (const _attempt of [1, 2]) {
      const started = await StartedCommand.start(scope(), ["eliza", "--deterministic"]);
      const sessionId = await started.client.newSession();
      for (const words of ["Hello", "I am sad", "I am sad", "My mother cooks"])
        await started.client.prompt(sessionId, words);
      answers.push(started.client.peer.text);
      started.client.endInput();
      await started.endsCleanly({ code: 0, signal: null });
    }
    assert.notEqual(answers[0], "");
    assert.equal(answers[0], answers[1]);
  });

  it("calls a tool of a proxy's MCP server when she is asked to", async () => {
    const proxies = ["--proxy", proxyText("legacy", "--mcp", "tools")];
    const started = await StartedCommand.start(scope(), ["run-with", ...proxies, "--agent", "eliza"]);
    const { client } = started;
    const sessionId = await client.newSession();
    await client.prompt(sessionId, "list tools from tools");
    assert.match(client.peer.text, /mcp_ping/);
    await client.prompt(sessionId, 'use tool tools::mcp_ping with {"text":"hello"}');
    assert.match(client.peer.text + JSON.stringify(client.peer.updates), /pong: hello/);
    client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });
});

describe("lsp --stdio", () => {
  const scope = useTestScope();

  /**
   * Starts and ends the server as an editor does, and sends the `requests` in between. Returns all answers: to `initialize`, the requests
   * and `shutdown`. `more` gets the workspace.
   */
  async function talk(
    more: (workspace: string) => readonly string[],
    requests: (workspace: string) => readonly object[] = () => [],
    initializationOptions: object = {},
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const folder = scope().use(await createCommandFolder());
    const { workspace } = folder;
    const words = [...conductorWords, "lsp", "--stdio", ...more(workspace)];
    const child = scope().use(new Child({ words, env: commandEnvironment(folder), cwd: workspace }));
    let said = "";
    const send = (message: object): void => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      child.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    const rootUri = pathToFileURL(workspace).href;
    const params = { processId: process.pid, rootUri, capabilities: {}, initializationOptions };
    const waiting = [{ method: "initialize", params }, ...requests(workspace), { method: "shutdown" }];
    let id = 0;
    const next = (): void => {
      const request = waiting.shift();
      send(request ? { id: ++id, ...request } : { method: "exit" });
    };
    child.process.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      if (said.includes(`"id":${id},`)) next();
    });
    next();
    assert.match(await child.exited, /ended with 0$/, child.stderrTail);
    const answers = said.split(/Content-Length: \d+\r\n\r\n/).filter((part) => part !== "");
    return answers.map(parseObject);
  }

  it("is a language server by the standard's life cycle, for the folder that the editor names", async () => {
    const [started, ended] = await talk(() => []);
    const { serverInfo, capabilities } = objectOf(started?.["result"]);
    assert.deepEqual(objectOf(serverInfo), { name: "symposium-lsp" });
    assert.deepEqual(Object.keys(objectOf(capabilities)).sort(), ["experimental", "textDocumentSync"]);
    assert.deepEqual(ended, { jsonrpc: "2.0", id: 2, result: null });
  });

  it("answers standard requests with --features", async () => {
    const [started, ended] = await talk(() => ["--features"]);
    const { hoverProvider, renameProvider } = objectOf(objectOf(started?.["result"])["capabilities"]);
    assert.deepEqual([hoverProvider, renameProvider], [true, true]);
    assert.deepEqual(ended, { jsonrpc: "2.0", id: 2, result: null });
  });

  it("starts a language server with --features only in a folder that the editor or the user trusts", async () => {
    const program = join(repositoryRoot, "lsp-adapter/dist/test/programs/fake-server.js");
    const fake = { command: process.execPath, args: [program], languages: { fake: [".fake"] }, readiness: "none" };
    const options = { lingerMs: 100, languageServers: { fake } };
    const ask = (workspace: string): readonly object[] => {
      const file = join(workspace, "a.fake");
      writeFileSync(file, "text\n");
      const params = { uri: pathToFileURL(file).href, position: { line: 0, character: 0 } };
      return [{ method: ideOperationMethod("definition"), params }];
    };
    const states = async (more: (workspace: string) => readonly string[]): Promise<unknown> => {
      const [, answer] = await talk((workspace) => ["--features", ...more(workspace)], ask, options);
      return objectOf(objectOf(answer?.["result"])["state"]);
    };
    const { kind, reason } = objectOf(await states(() => []));
    assert.deepEqual(
      [kind, /fake can run project code, and .* isn't trusted/.test(String(reason))],
      ["degraded", true],
    );
    assert.deepEqual(await states((workspace) => ["--trusted-folder", workspace]), { kind: "ready" });
  });
});
