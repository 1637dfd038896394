import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { client, type ClientConnection, methods, PROTOCOL_VERSION, type Stream } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";
import { Child, runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { arrayOf, objectOf } from "../support/json.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, configFolderOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { poll, scaledMs } from "../support/until.js";

const limitMs = 60_000;

interface Listening {
  readonly url: string;
  readonly token: string;
  readonly folder: RunFolder;
}

describe("the host over the network", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  function host(folder: RunFolder, ...words: readonly string[]): ReturnType<typeof runToEnd> {
    const options = { env: commandEnvironment(folder), cwd: folder.workspace };
    return runToEnd({ words: [...conductorWords, "host", ...words], ...options }, limitMs);
  }

  async function openFolder(): Promise<RunFolder> {
    const folder = scope().use(await createCommandFolder(JSON.stringify({ agent: agentText(), proxies: [] })));
    scope().defer(async () => {
      await host(folder, "stop");
      assert.deepEqual(await survivingProcesses(folder.root), new Map());
    });
    return folder;
  }

  async function listen(folder: RunFolder, ...options: readonly string[]): Promise<Listening> {
    const words = [...conductorWords, "host", "--listen", "127.0.0.1:0", ...options];
    const child = scope().use(new Child({ words, env: commandEnvironment(folder), cwd: folder.workspace }));
    const lines = createInterface({ input: child.process.stdout })[Symbol.asyncIterator]();
    const { value: url = "" } = (await lines.next()) as { readonly value?: string };
    assert.notEqual(url, "", child.stderrTail);
    const [, file = ""] = /^The token is in (.*)\.$/m.exec(child.stderrTail) ?? [];
    const token = await readFile(file, "utf8");
    assert.deepEqual([token.length, url.includes(token), child.stderrTail.includes(token)], [64, false, false]);
    if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
    return { url, token, folder };
  }

  async function connect(stream: Stream, texts: string[]): Promise<ClientConnection> {
    const connection = client({ name: "symposium-test" })
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        const { content } = { content: undefined, ...update };
        if (update.sessionUpdate === "agent_message_chunk") texts.push(String(objectOf(content)["text"]));
      })
      .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => ({
        outcome: {
          outcome: "selected" as const,
          optionId: options.find(({ kind }) => kind === "allow_once")?.optionId ?? "",
        },
      }))
      .connect(stream);
    scope().defer(() => connection.close());
    const initialize = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} };
    await connection.agent.request(methods.agent.initialize, initialize);
    return connection;
  }

  it("serves a session to the SDK's clients over HTTP and WebSocket at once", async () => {
    const { url, token, folder } = await listen(await openFolder());
    const headers = { Authorization: `Bearer ${token}` };
    const [first, second]: [string[], string[]] = [[], []];
    const { agent } = await connect(createHttpStream(url, { headers }), first);
    const session = { cwd: folder.workspace, mcpServers: [] };
    const { sessionId } = objectOf(await agent.request(methods.agent.session.new, session));
    const options = { headers, WebSocket: WebSocket as unknown as typeof globalThis.WebSocket };
    const other = await connect(createWebSocketStream(url.replace("http", "ws"), options), second);
    await other.agent.request(methods.agent.session.load, { ...session, sessionId });
    const prompt = [{ type: "text", text: "echo before\npermission allow\necho after" }];
    const turn = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
    assert.deepEqual(turn, { stopReason: "end_turn" });
    const [text] = await poll(
      () => Promise.resolve([first.join(""), second.join("")]),
      ([one, two]) => one === two && one.endsWith("after\n"),
      limitMs,
    );
    assert.match(text, /^before\nsession\/request_permission result .*\nafter\n$/);
    const status = objectOf(JSON.parse((await host(folder, "status", "--json")).stdout));
    assert.deepEqual([status["clients"], arrayOf(status["sessions"]).length], [2, 1]);
    const log = await readFile(join(configFolderOf(folder), "host", "host.log"), "utf8");
    assert.equal(log.includes(token), false);
  });

  it("serves other addresses than loopback only over TLS", async function () {
    const folder = await openFolder();
    const refused = await host(folder, "--listen", "0.0.0.0:0");
    assert.match(refused.stderr, /Other machines can reach 0\.0\.0\.0:0, so the connection needs TLS\. Add --cert and/);
    assert.notEqual(refused.code, 0);
    if (!existsSync("/usr/bin/openssl")) skipBecause(this, "the test makes its certificate with openssl");
    const [cert, key] = [join(folder.root, "cert.pem"), join(folder.root, "key.pem")];
    const subject = ["-subj", "/CN=build.example", "-addext", "subjectAltName=DNS:build.example,IP:127.0.0.1"];
    const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...subject];
    execFileSync("/usr/bin/openssl", [...made, "-keyout", key, "-out", cert], { stdio: "ignore" });
    const { url, token } = await listen(folder, "--cert", cert, "--key", key);
    assert.match(url, /^https:/);
    const swapped = await host(folder, "--listen", "127.0.0.1:0", "--cert", key, "--key", cert);
    assert.match(swapped.stderr, /aren't a certificate and its key: .* Give both in PEM format\./);
    const page = await host(folder, "--listen", "127.0.0.1:0", "--origin", "app.example");
    assert.match(page.stderr, /--origin app\.example isn't an origin\. Give the scheme, host and port/);
    const names = ["build.example", "other.example", "127.0.0.1"];
    const outcomes = await Promise.all(names.map(async (name) => outcomeOf(url, token, name, await readFile(cert))));
    assert.deepEqual(outcomes, ["open", "403", "open"]);
  });
});

/** Opens a WebSocket under `name`; returns "open" or the refusal's HTTP status. */
function outcomeOf(url: string, token: string, name: string, ca: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}`, Host: name };
    const socket = new WebSocket(url.replace("https", "wss"), { headers, ca });
    socket.on("open", () => {
      socket.terminate();
      resolve("open");
    });
    socket.on("error", ({ message }) => resolve(/\d{3}$/.exec(message)?.[0] ?? message));
  });
}
