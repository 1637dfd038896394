import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mayRunTests, TerminalTestReports } from "../../../src/extensions/test-tools/terminal-test-reports.js";
import { type Outcome, Request } from "../../../src/base/rpc/message.js";
import { createRunLog } from "../../../src/extensions/runs/node/run-log.js";
import { type RunLog, RunStore } from "../../../src/extensions/runs/run-store.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";

const recorded = new URL("../../../../../test/fixtures/runners/", import.meta.url);
const failing = readFileSync(new URL("mocha/faults.shell.txt", recorded), "utf8");

interface TerminalState {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus: unknown;
}
const ended = { exitCode: 1, signal: null };

describe("TerminalTestReports", () => {
  let state: TerminalState;
  let client: RecordingPeer;
  let store: RunStore;
  let terminals: TerminalTestReports;
  beforeEach(() => {
    state = { output: "", truncated: false, exitStatus: null };
    client = new RecordingPeer({
      "terminal/create": { terminalId: "t" },
      "terminal/output": () => state,
      "terminal/release": {},
    });
    store = new RunStore({ prefix: "t", item: "fault", outputTool: "output" });
    terminals = new TerminalTestReports({ client, store, createLog: createRunLog, canPage: (id) => id === "s" });
  });
  afterEach(() => store[Symbol.asyncDispose]());

  type Member = "create" | "output" | "release";
  const ask = (member: Member, params: object): Promise<Outcome> =>
    new Promise((resolve) => {
      terminals[member](Request.of(`terminal/${member}`, params), resolve);
    });
  const create = (more: object = {}): Promise<Outcome> =>
    ask("create", { sessionId: "s", command: "npm", args: ["test"], ...more });
  const output = async (): Promise<Readonly<Record<string, unknown>>> =>
    (await ask("output", { sessionId: "s", terminalId: "t" })).json.object ?? {};

  it("answer with the report of an ended run, the same each time, and keep all of it", async () => {
    await create();
    assert.deepEqual(await output(), state);
    state = { output: failing, truncated: false, exitStatus: ended };
    const answer = await output();
    const text = String(answer["output"]);
    assert.match(text, /^mocha: 3 failed, 96 passed \[t1: the tool output has all of it\]\n/);
    assert.match(text, /no such item: tea/);
    assert.ok(text.length < failing.length / 2);
    assert.deepEqual({ ...answer, output: "" }, { output: "", truncated: false, exitStatus: ended });
    assert.deepEqual(await output(), answer);
    assert.match(await store.page("t1", 0, 64_000), /adds 39 to 40 cents/);
  });

  it("leave the output as it is where the agent has read of it before the end", async () => {
    await create();
    state = { ...state, output: failing.slice(0, 300) };
    await output();
    state = { output: failing, truncated: false, exitStatus: ended };
    assert.deepEqual(await output(), state);
  });

  it("leave it as it is where the run is not known for certain", async () => {
    await create();
    for (const exitStatus of [
      { exitCode: 0, signal: null },
      { exitCode: null, signal: "SIGKILL" },
    ]) {
      state = { output: failing, truncated: false, exitStatus };
      assert.deepEqual(await output(), state);
    }
  });

  it("leave it as it is where the editor has cut it", async () => {
    await create();
    state = { output: failing, truncated: true, exitStatus: ended };
    assert.deepEqual(await output(), state);
  });

  it("leave it as it is where not all of it could be kept", async () => {
    const full = (): Promise<never> => Promise.reject(new Error("ENOSPC: no space left on device"));
    const createLog = async (): Promise<RunLog> => ({ ...(await createRunLog()), read: full });
    terminals = new TerminalTestReports({ client, store, createLog, canPage: () => true });
    await create();
    state = { output: failing, truncated: false, exitStatus: ended };
    assert.deepEqual(await output(), state);
  });

  it("tell also what is written after the end by what the command has left running", async () => {
    await create();
    state = { output: failing, truncated: false, exitStatus: ended };
    await output();
    state = { ...state, output: `${failing}the server has crashed\n` };
    const text = String((await output())["output"]);
    assert.match(text, /^mocha: 3 failed, 96 passed \[t2: /);
    assert.match(text, /the server has crashed/);
  });

  it("go on with the output where the agent has had some of it after the end", async () => {
    await create();
    state = { output: failing.slice(0, 300), truncated: false, exitStatus: ended };
    assert.deepEqual(await output(), state);
    state = { ...state, output: failing };
    assert.deepEqual(await output(), state);
  });

  it("leave other commands as they are, and those of sessions whose agents cannot page", async () => {
    for (const more of [
      { command: "cat", args: ["test.log"] },
      { command: "npm test | grep x", args: [] },
      { sessionId: "other" },
    ]) {
      await create(more);
      state = { output: failing, truncated: false, exitStatus: ended };
      assert.deepEqual(await output(), state, JSON.stringify(more));
    }
  });

  it("have the editor keep a whole run, and cut what the agent gets to its own limit, at a whole character", async () => {
    await create({ outputByteLimit: 1_000 });
    assert.ok(Number(client.received.at(-1)?.params?.object?.["outputByteLimit"]) >= 1_000_000);
    const passing = readFileSync(new URL("mocha/pass.shell.txt", recorded), "utf8");
    state = { output: passing, truncated: false, exitStatus: { exitCode: 0, signal: null } };
    assert.match(String((await output())["output"]), /^mocha: 96 passed/);

    await create({ outputByteLimit: 9 });
    state = { output: "✔ first\n✔ läuft 🎉", truncated: false, exitStatus: { exitCode: 0, signal: null } };
    assert.deepEqual(await output(), { ...state, output: "uft 🎉", truncated: true });
    await create({ outputByteLimit: 7 });
    assert.deepEqual(await output(), { ...state, output: "ft 🎉", truncated: true });
  });

  it("forget a terminal that is released, and those of a session that is over", async () => {
    const released = (): Promise<unknown> => ask("release", { sessionId: "s", terminalId: "t" });
    const over = (): Promise<unknown> => {
      terminals.end("s");
      return Promise.resolve();
    };
    for (const end of [released, over]) {
      await create();
      await end();
      state = { output: failing, truncated: false, exitStatus: ended };
      assert.deepEqual(await output(), state);
    }
  });
});

describe("a command line", () => {
  it("may run tests where one of its words starts a runner, and nothing shows or cuts", () => {
    for (const line of [
      "npm test",
      "bash -c cd web && npx vitest run",
      ".venv/bin/python -m pytest -q",
      "go test ./...",
      "./mvnw test",
    ])
      assert.ok(mayRunTests(line), line);
    for (const line of ["cat npm.log", "bash -c npm test | tail -5", "ls", "grep -r pytest .", "git log -- go"])
      assert.ok(!mayRunTests(line), line);
  });
});
