import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Location, type PageAnswer, SymposiumError } from "@symposium-dev/core";
import { type Fault, fakeServer } from "../support/fake-server.js";
import { processesNaming, processesOf, Stage } from "../support/stage.js";
import { until, useTestScope } from "../support/test-scope.js";

const files = { "a.fake": "twelve chars\nmore\n" };
const position = { line: 0, character: 0 };

describe("a language server with a fault", () => {
  const scope = useTestScope();

  async function open(fault: Fault, settings: object = {}): Promise<Stage> {
    return scope().use(await Stage.open({ files, settings: fakeServer(fault, { ...settings }) }));
  }

  function ask(stage: Stage): Promise<PageAnswer<Location>> {
    return stage.run("definition", { uri: stage.uri("a.fake"), position });
  }

  const lengthOf = ({ items }: PageAnswer<Location>): number | undefined => items[0]?.range.end.character;

  it("is understood when it prints lines among its messages", async () => {
    assert.equal(lengthOf(await ask(await open("stray-lines"))), 12);
  });

  it("is understood when it floods us with messages", async () => {
    assert.equal(lengthOf(await ask(await open("floods"))), 12);
  });

  it("gets one answer for each configuration that it asks for", async () => {
    const stage = await open("none");
    const stateFile = join(stage.folder.path, "asked.json");
    const asking = scope().use(await Stage.open({ files, settings: fakeServer("needs-answers", { stateFile }) }));
    await ask(asking);
    const answers = await until("the server's question is answered", () =>
      readFile(stateFile, "utf8").catch(() => undefined),
    );
    assert.deepEqual(JSON.parse(answers), [{ answer: 42 }, null, { a: { b: { answer: 42 } } }]);
  });

  it("is reported when it leaves a question open, and is not waited for any longer", async () => {
    const stage = await open("hangs", { requestTimeoutMs: 100 });
    const failure = await ask(stage).catch((error: unknown) => error);
    assert.ok(failure instanceof SymposiumError);
    assert.deepEqual([failure.code, failure.message], ["ide-operation-failed", "fake: no answer in 0.1 s"]);
  });

  it("is started again after it has left three questions in a row open", async () => {
    const stage = await open("hangs", { requestTimeoutMs: 1_000 });
    await ask(stage).catch(() => undefined);
    const first = stage.serverPid;
    await ask(stage).catch(() => undefined);
    await ask(stage).catch(() => undefined);
    await until("the process that hung is gone", async () => (await processesOf(first)).length === 0 || undefined);
    await stage.run("hover", { uri: stage.uri("a.fake"), position });
    assert.notEqual(stage.serverPid, first);
  });

  it("is loading, and is left to its work, while it says something and answers nothing", async () => {
    const stage = await open("busy", { requestTimeoutMs: 1_000, readyTimeoutMs: 1_000 });
    const answers: unknown[] = [];
    const pids = new Set<number>();
    for (let asked = 0; asked < 4; asked++) {
      const { state, items } = await ask(stage);
      answers.push({ state, items });
      pids.add(stage.serverPid);
    }
    const loading = { state: { kind: "loading", percent: 40 }, items: [] };
    assert.deepEqual({ answers, servers: pids.size }, { answers: [loading, loading, loading, loading], servers: 1 });
  });

  it("is a degraded answer with its last words when it ends at its start", async () => {
    const { state, items } = await ask(await open("dies-at-start"));
    const reason = "fake did not start: fake ended with exit code 3: fake-server: no licence";
    assert.deepEqual({ state, items }, { state: { kind: "degraded", reason }, items: [] });
  });

  it("is not started again after five ends in three minutes, and the answer says so", async () => {
    const stage = await open("dies-at-start");
    const reasons: string[] = [];
    for (let ask_ = 0; ask_ < 6; ask_++) {
      const { state } = await ask(stage);
      reasons.push(state.kind === "degraded" ? state.reason : state.kind);
    }
    assert.deepEqual(
      reasons.map((reason) => /won't be restarted for \d+ s/.test(reason)),
      [false, false, false, false, false, true],
    );
  });

  it("is asked once more when it ends over a question, and then reported", async () => {
    const failure = await ask(await open("dies-when-asked")).catch((error: unknown) => error);
    assert.ok(failure instanceof SymposiumError);
    assert.deepEqual([failure.code, failure.message], ["ide-operation-failed", "fake: fake ended with exit code 1"]);
  });

  it("is ended when it writes nothing but garbage", async () => {
    const { state } = await ask(await open("garbage"));
    const reason = state.kind === "degraded" ? state.reason : state.kind;
    assert.match(reason, /^fake did not start: fake wrote \d+ bytes that aren't protocol messages$/);
  });

  it("is ended when it takes more memory than it may, and the status says so", async () => {
    const stage = await open("none", { memoryLimitMiB: 5 });
    await ask(stage);
    const reason = await until("the server is ended", async () => {
      const { servers } = await stage.run("status", {});
      const [first] = servers;
      return first?.state.kind === "degraded" ? first.state.reason : undefined;
    });
    assert.match(reason, /^fake was stopped because it used \d+ MiB of memory; the limit is 5 MiB$/);
  });

  it("is stopped when nobody has asked it for a while, and started by the next question", async () => {
    const stage = await open("none", { idleStopMs: 100 });
    await ask(stage);
    const first = stage.serverPid;
    await until("the idle server is gone", async () => (await processesOf(first)).length === 0 || undefined);
    const length = lengthOf(await ask(stage));
    assert.deepEqual({ length, isNew: stage.serverPid !== first }, { length: 12, isNew: true });
  });

  it("answers again after it was killed, with the texts as they are then", async () => {
    const stage = await open("none");
    await ask(stage);
    process.kill(stage.serverPid, "SIGKILL");
    await stage.folder.write("a.fake", "now longer than before\n");
    assert.equal(lengthOf(await ask(stage)), 22);
  });

  it("leaves no process", async () => {
    const stage = await Stage.open({ files, settings: fakeServer("none") });
    await ask(stage);
    const pid = stage.serverPid;
    await stage[Symbol.asyncDispose]();
    assert.deepEqual(await processesOf(pid), []);
    assert.deepEqual(processesNaming(stage.folder.path), []);
  });

  it("is told of an unsaved text, and of the disk again, by the client that has it and by no other", async () => {
    const stage = await open("none");
    const uri = stage.uri("a.fake");
    const other = stage.otherClient();
    const askOther = async (): Promise<number | undefined> =>
      lengthOf(await other.run("definition", { uri, position }, new AbortController().signal));
    await stage.run("setDocument", { uri, text: "unsaved" });
    const whileUnsaved = [lengthOf(await ask(stage)), await askOther(), lengthOf(await ask(stage))];
    await stage.run("setDocument", { uri, text: null });
    assert.deepEqual([...whileUnsaved, lengthOf(await ask(stage))], [7, 12, 7, 12]);
  });
});
