import assert from "node:assert/strict";
import type { IdeOperations } from "@symposium-dev/core";
import { positionOf, TestFolder } from "../support/folders.js";
import { useServer } from "../support/installed-servers.js";
import { rust, typescript } from "../support/projects.js";
import { adaptersOf, openSession, processesOfFolder, untilNothingRuns } from "../support/shared-adapter.js";
import { patient } from "../support/stage.js";
import { until, useTestScope } from "../support/test-scope.js";

const settings = { ...patient, lingerMs: 100 };
const never = new AbortController().signal;

describe("rust-analyzer behind an adapter process", function () {
  this.timeout(300_000);
  const pathFor = useServer("rust-analyzer");
  before(function () {
    // Running processes are read from /proc.
    if (process.platform !== "linux") this.skip();
  });
  const scope = useTestScope();

  it("is one for five sessions, ends with the adapter that is killed, and leaves nothing when the sessions have gone", async function () {
    const folder = scope().use(await TestFolder.create(rust.files));
    const sessions = Array.from({ length: 5 }, () => openSession(folder, settings, pathFor(this)));
    scope().defer(() => endAll(sessions));
    const counts = await Promise.all(sessions.map((session) => countSymbols(session, folder)));
    const servers = await serversOf(folder);
    const [adapter = 0] = await until("the adapters that lost have ended", async () => {
      const pids = await adaptersOf(folder);
      return pids.length === 1 ? pids : undefined;
    });
    process.kill(adapter, "SIGKILL");
    await until("rust-analyzer has ended", async () => (await serversOf(folder)).length === 0 || undefined);
    const again = await Promise.all(sessions.map((session) => countSymbols(session, folder)));
    const serversAgain = await serversOf(folder);
    await endAll(sessions);
    await untilNothingRuns(folder);
    const five = [2, 2, 2, 2, 2];
    assert.deepEqual(
      { counts, servers: servers.length, again, serversAgain: serversAgain.length },
      { counts: five, servers: 1, again: five, serversAgain: 1 },
    );
  });
});

describe("TypeScript's server behind adapter processes", function () {
  this.timeout(300_000);
  const pathFor = useServer("typescript 7");
  before(function () {
    // Running processes are read from /proc.
    if (process.platform !== "linux") this.skip();
  });
  const scope = useTestScope();

  it("answers two sessions in two folders each about its own", async function () {
    const { files, usedIn, declaredIn, name } = typescript;
    const [used = "", declared = ""] = [files[usedIn], files[declaredIn]];
    const one = scope().use(await TestFolder.create(files));
    const other = scope().use(await TestFolder.create({ ...files, [declaredIn]: `// moved\n${declared}` }, "two é"));
    const sessions = [one, other].map((folder) => openSession(folder, settings, pathFor(this)));
    scope().defer(() => endAll(sessions));
    const found = await Promise.all(
      [one, other].map(async (folder, index) => {
        const params = { uri: folder.uri(usedIn), position: positionOf(used, `${name}(`) };
        const answer = await sessions[index]?.run("definition", params, never);
        return answer?.items.map(({ uri, range }) => [uri, range.start.line]);
      }),
    );
    await endAll(sessions);
    await Promise.all([one, other].map(untilNothingRuns));
    const { line } = positionOf(declared, `${name}(`);
    assert.deepEqual(found, [[[one.uri(declaredIn), line]], [[other.uri(declaredIn), line + 1]]]);
  });
});

async function endAll(sessions: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()));
}

async function countSymbols(session: IdeOperations, folder: TestFolder): Promise<number> {
  const { items } = await session.run("documentSymbols", { uri: folder.uri(rust.declaredIn) }, never);
  return items.filter(({ depth }) => depth === 0).length;
}

async function serversOf(folder: TestFolder): Promise<readonly string[]> {
  return (await processesOfFolder(folder)).filter((line) => /rust-analyzer\s*$/.test(line));
}
