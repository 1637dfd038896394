import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { awaitEnd, descendantsOf, killAll } from "../../base/node/surviving-processes.js";
import type { ChildRequest } from "./install-child.js";
import { InstallStage } from "./install-fixture.js";
import { NpmRegistry } from "./npm-registry.js";

const childFile = fileURLToPath(new URL("install-child.js", import.meta.url));
const places = [
  "locked",
  "resolved",
  "download",
  "verify",
  "extract",
  "built",
  "published",
  "probe",
  "probed",
  "activated",
];

describe("an installation in a process of its own", function () {
  this.timeout(120_000);
  let stage: InstallStage;
  let children: ChildProcess[];
  beforeEach(async () => {
    stage = await InstallStage.open();
    children = [];
  });
  afterEach(async () => {
    killAll(children.flatMap(({ pid }) => pid ?? []));
    await stage[Symbol.asyncDispose]();
  });

  function start(request: Omit<ChildRequest, "folder">, env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const argument = JSON.stringify({ folder: stage.folder, ...request });
    const child = spawn(process.execPath, [childFile, argument], { env, stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return child;
  }

  for (const place of places) {
    it(`leaves the old or the new version working when it is killed at "${place}", and the next one tidies up`, async () => {
      const old = await stage.installer().install(stage.program("1"));
      const plan = stage.program("2");
      const [, signal] = (await once(start({ plan, killAt: place }), "exit")) as [number | null, string | null];
      assert.equal(signal, "SIGKILL");
      const current = await stage.installer().installed("agent");
      assert.ok(current);
      assert.equal(current.version, place === "activated" ? "2" : "1");
      assert.equal(await stage.output(current.command), current.version);
      const fresh = await stage.installer().install(plan);
      assert.deepEqual([await stage.output(fresh.command), await stage.output(old.command)], ["2", "1"]);
      await stage.installer().update(stage.program("3"));
      assert.deepEqual((await readdir(join(stage.folder, "agent"))).sort(), ["2", "3", "current.json"].sort());
      assert.deepEqual(await readdir(stage.folder), ["agent"]);
    });
  }

  it("shares its result with the other processes that want the same", async () => {
    const plan = stage.program("1");
    const outputs = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = start({ plan });
        let text = "";
        child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        await once(child, "close");
        return text;
      }),
    );
    assert.equal(new Set(outputs).size, 1);
    assert.match(outputs[0] ?? "", /"version":"1"/);
    assert.deepEqual(stage.server.asked, ["/1/agent"]);
  });

  it("keeps others waiting while it lives, and hands over when it is killed", async () => {
    const plan = stage.program("1");
    const child = start({ plan, hangAt: "built" });
    assert.ok(child.stdout);
    await once(child.stdout, "data");
    const events: string[] = [];
    const waiting = stage.installer().install(plan, { onProgress: ({ text }) => events.push(text) });
    while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(events, ["Waiting for another installation of agent"]);
    child.kill("SIGKILL");
    assert.equal((await waiting).version, "1");
    assert.deepEqual(stage.server.asked, ["/1/agent", "/1/agent"]);
  });

  it("lets a wait for it be cancelled", async () => {
    const plan = stage.program("1");
    const child = start({ plan, hangAt: "built" });
    assert.ok(child.stdout);
    await once(child.stdout, "data");
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error("stop"));
    const waiting = stage.installer().install(plan, { signal: controller.signal, onProgress });
    await assert.rejects(waiting, /^Error: stop$/);
  });

  it("takes npm with it when it is killed", async () => {
    const registry = new NpmRegistry(stage.server, stage.home);
    registry.publish({ name: "tool", version: "1.0.0", bin: "tool.js" }, { "tool.js": "" });
    const requested = new Promise<void>((resolve) => {
      stage.server.files.set("/tool/-/1.0.0.tgz", () => resolve());
    });
    const plan = { kind: "npm", id: "tool", package: "tool", args: [], env: {} } as const;
    const child = start({ plan }, registry.env);
    await requested;
    const pids = await descendantsOf(child.pid ?? 0);
    assert.ok(pids.length > 0);
    child.kill("SIGKILL");
    assert.deepEqual(await awaitEnd(pids), []);
  });
});
