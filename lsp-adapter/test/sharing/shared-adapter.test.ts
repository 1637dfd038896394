import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { IdeOperations, StatusAnswer } from "@symposium-dev/core";
import { fakeServer } from "../support/fake-server.js";
import { TestFolder } from "../support/folders.js";
import {
  adaptersOf,
  openSession,
  processesOfFolder,
  sessionOptions,
  untilNothingRuns,
} from "../support/shared-adapter.js";
import { until, useTestScope } from "../support/test-scope.js";

const files = { "a.fake": "twelve chars\n" };
const settings = fakeServer("none", { lingerMs: 100 });
const sessionProgram = fileURLToPath(new URL("../programs/session.js", import.meta.url));
const never = new AbortController().signal;

describe("the adapter process", function () {
  this.timeout(120_000);
  before(function () {
    // Running processes are read from /proc.
    if (process.platform !== "linux") this.skip();
  });
  const scope = useTestScope();

  async function folderOf(name?: string): Promise<TestFolder> {
    const folder = scope().use(await TestFolder.create(files, name));
    scope().defer(() => untilNothingRuns(folder));
    return folder;
  }

  function session(folder: TestFolder, given: object = settings): IdeOperations & AsyncDisposable {
    return scope().use(openSession(folder, given));
  }

  function lengthOf(operations: IdeOperations, folder: TestFolder): Promise<number | undefined> {
    const params = { uri: folder.uri("a.fake"), position: { line: 0, character: 0 } };
    return operations.run("definition", params, never).then(({ items }) => items[0]?.range.end.character);
  }

  function countServers(words: readonly string[]): number {
    return words.filter((line) => line.includes("fake-server.js")).length;
  }

  it("is one for five sessions that begin at once, and so is the language server", async () => {
    const folder = await folderOf();
    const sessions = Array.from({ length: 5 }, () => session(folder));
    const lengths = await Promise.all(sessions.map((one) => lengthOf(one, folder)));
    const adapters = await until("the adapters that lost have ended", async () => {
      const pids = await adaptersOf(folder);
      return pids.length === 1 ? pids : undefined;
    });
    const servers = countServers(await processesOfFolder(folder));
    assert.deepEqual(
      { lengths, adapters: adapters.length, servers },
      { lengths: [12, 12, 12, 12, 12], adapters: 1, servers: 1 },
    );
  });

  it("is another one for another folder, and for other settings", async () => {
    const [one, two] = [await folderOf(), await folderOf("with space é")];
    const sessions = [session(one), session(two), session(one, { ...settings, idleStopMs: 5_000 })];
    await Promise.all(sessions.map((each, index) => lengthOf(each, index === 1 ? two : one)));
    assert.deepEqual([(await adaptersOf(one)).length, (await adaptersOf(two)).length], [2, 1]);
  });

  it("ends, and its language servers with it, when the last session has gone", async () => {
    const folder = await folderOf();
    const operations = session(folder);
    await lengthOf(operations, folder);
    await operations[Symbol.asyncDispose]();
    await untilNothingRuns(folder);
  });

  it("stays for the others when the session that started it is killed", async () => {
    const folder = await folderOf();
    const first = await startSession(folder);
    const [pid] = await adaptersOf(folder);
    const second = session(folder);
    await lengthOf(second, folder);
    first.kill("SIGKILL");
    await once(first, "exit");
    assert.deepEqual(
      { length: await lengthOf(second, folder), adapters: await adaptersOf(folder) },
      { length: 12, adapters: [pid] },
    );
  });

  it("ends when every session is killed", async () => {
    const folder = await folderOf();
    const only = await startSession(folder);
    only.kill("SIGKILL");
    await once(only, "exit");
    await untilNothingRuns(folder);
  });

  it("takes its language servers with it when it is killed, and the next question starts all anew with what is unsaved", async () => {
    const folder = await folderOf();
    const operations = session(folder);
    await operations.run("setDocument", { uri: folder.uri("a.fake"), text: "unsaved" }, never);
    const before = await lengthOf(operations, folder);
    const [pid = 0] = await adaptersOf(folder);
    process.kill(pid, "SIGKILL");
    await until("the language server has ended", async () =>
      countServers(await processesOfFolder(folder)) === 0 ? true : undefined,
    );
    const after = await lengthOf(operations, folder);
    const [second] = await adaptersOf(folder);
    assert.deepEqual(
      { before, after, isNew: second !== undefined && second !== pid },
      { before: 7, after: 7, isNew: true },
    );
  });

  it("ends its language servers when it is asked to end", async () => {
    const folder = await folderOf();
    await lengthOf(session(folder), folder);
    const [pid = 0] = await adaptersOf(folder);
    process.kill(pid, "SIGTERM");
    await untilNothingRuns(folder);
  });

  it("keeps the unsaved text of each session to itself", async () => {
    const folder = await folderOf();
    const [one, two] = [session(folder), session(folder)];
    await one.run("setDocument", { uri: folder.uri("a.fake"), text: "unsaved" }, never);
    assert.deepEqual([await lengthOf(one, folder), await lengthOf(two, folder)], [7, 12]);
  });

  it("cancels a question at once", async () => {
    const folder = await folderOf();
    const operations = session(folder, fakeServer("hangs", { lingerMs: 100 }));
    const controller = new AbortController();
    const params = { uri: folder.uri("a.fake"), position: { line: 0, character: 0 } };
    const asked = operations.run("definition", params, controller.signal).catch((error: unknown) => error);
    await until("the server runs", async () => {
      const { servers }: StatusAnswer = await operations.run("status", {}, never);
      return servers.length > 0 || undefined;
    });
    controller.abort();
    assert.equal(((await asked) as { code?: unknown }).code, "cancelled");
  });

  it("refuses whoever does not know the token, and goes on with its clients", async () => {
    const folder = await folderOf();
    const operations = session(folder);
    await lengthOf(operations, folder);
    const adapters = join(folder.config, "adapters");
    const name = (await readdir(adapters)).find((file) => file.endsWith(".sock")) ?? "";
    const said = await sayTo(join(adapters, name), {
      id: 1,
      method: "initialize",
      params: { capabilities: {}, initializationOptions: { token: "0" } },
    });
    assert.match(said, /The token doesn't match this adapter/);
    assert.equal(await lengthOf(operations, folder), 12);
  });

  it("keeps its socket, its token and its log from other users", async () => {
    const folder = await folderOf();
    await lengthOf(session(folder), folder);
    const adapters = join(folder.config, "adapters");
    const modes = await Promise.all(
      (await readdir(adapters)).map(async (file) => [
        file.replace(/^.*(?=\.)/, ""),
        (await stat(join(adapters, file))).mode & 0o077,
      ]),
    );
    const folderMode = (await stat(adapters)).mode & 0o777;
    assert.equal(folderMode, 0o700);
    assert.deepEqual(
      modes.filter(([name, mode]) => name !== ".sock" && mode !== 0),
      [],
    );
  });

  it("is not started from a folder that others may write to, and the error says why", async () => {
    const folder = await folderOf();
    const operations = session(folder);
    await lengthOf(operations, folder);
    await operations[Symbol.asyncDispose]();
    await chmod(join(folder.config, "adapters"), 0o777);
    const failure = await lengthOf(session(folder), folder).catch((error: unknown) => String(error));
    assert.match(String(failure), /isn't a folder that only you can write to/);
  });

  async function startSession(folder: TestFolder): Promise<ChildProcessWithoutNullStreams> {
    const options = sessionOptions(folder, settings);
    const env = { ...process.env, ...options.self.env };
    const child = spawn(process.execPath, [sessionProgram, JSON.stringify(options), folder.uri("a.fake")], {
      env,
      stdio: "pipe",
    });
    scope().defer(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    return child;
  }
});

/** Sends one message to a socket and returns the answer. */
function sayTo(path: string, message: object): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(path, () => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      if (said.endsWith("}")) socket.destroy();
    });
    socket.once("close", () => resolve(said)).once("error", reject);
  });
}
