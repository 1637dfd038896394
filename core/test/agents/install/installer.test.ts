import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import type { InstallPoint } from "../../../src/agents/install/installer.js";
import type { InstallProgress } from "../../../src/base/node/archives/install-progress.js";
import type { Installed } from "../../../src/agents/install/install-place.js";
import type { ArchivePlan } from "../../../src/agents/registry/start-plan.js";
import { tarArchive } from "./archive-bytes.js";
import { agentProgram, brokenProgram, InstallStage, treeOf } from "./install-fixture.js";

const points: readonly InstallPoint[] = ["locked", "resolved", "built", "published", "probed"];
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("Installer", () => {
  let stage: InstallStage;
  beforeEach(async () => {
    stage = await InstallStage.open();
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  async function failure(attempt: Promise<unknown>): Promise<SymposiumError> {
    const thrown: unknown = await attempt.then(
      () => assert.fail("it did not fail"),
      (error: unknown) => error,
    );
    assert.ok(thrown instanceof SymposiumError, String(thrown));
    return thrown;
  }

  /** The names in the folder of the id "agent". */
  async function names(): Promise<string[]> {
    return (await readdir(join(stage.folder, "agent")).catch(() => [])).sort();
  }

  it("installs a program that answers, and says how it goes on", async () => {
    const events: InstallProgress[] = [];
    const plan = stage.program("1.0", agentProgram("1.0"), { args: ["acp"], env: { A: "b" } });
    const installed = await stage.installer().install(plan, { onProgress: (event) => events.push(event) });
    const folder = join(stage.folder, "agent", "1.0");
    assert.deepEqual(installed, {
      id: "agent",
      version: "1.0",
      folder,
      command: { command: join(folder, "agent"), args: ["acp"], env: { A: "b" } },
    });
    assert.equal(await stage.output(installed.command), "1.0");
    const steps = events.map(({ step }) => step);
    assert.deepEqual([...new Set(steps)], ["download", "verify", "extract", "probe", "done"]);
    const last = events.filter(({ step }) => step === "download").at(-1);
    assert.deepEqual([last?.bytes, last?.totalBytes], [agentProgram("1.0").length, undefined]);
    assert.deepEqual([await names(), await readdir(stage.folder)], [["1.0", "current.json"], ["agent"]]);
  });

  it("unpacks an archive and starts the program in it", async () => {
    const plan = stage.program("1.0", "", { program: String.raw`.\app\agent`, url: stage.server.url("/a.tgz") });
    const archive = tarArchive([{ name: "app/agent", data: agentProgram("1.0"), mode: 0o755 }]);
    stage.server.files.set("/a.tgz", gzipSync(archive));
    const installed = await stage.installer().install(plan);
    assert.equal(await stage.output(installed.command), "1.0");
  });

  it("asks nobody when it is installed already, and takes new arguments from the plan", async () => {
    const plan = stage.program("1.0");
    await stage.installer().install(plan);
    await stage.server[Symbol.asyncDispose]();
    const again = await stage.installer().install({ ...plan, args: ["acp"] });
    assert.deepEqual(again.command.args, ["acp"]);
    assert.deepEqual(stage.server.asked, ["/1.0/agent"]);
  });

  it("keeps the previous version, and removes those before it", async () => {
    const installer = stage.installer();
    for (const version of ["1", "2", "3"]) await installer.update(stage.program(version));
    assert.deepEqual(await names(), ["2", "3", "current.json"]);
    assert.deepEqual(await installer.installed("agent"), (await installer.list())[0]);
    assert.deepEqual((await installer.installed("agent"))?.previous, "2");
  });

  it("keeps the old version when the new one does not answer", async () => {
    const installer = stage.installer();
    await installer.install(stage.program("1"));
    const before = await treeOf(stage.folder);
    const error = await failure(installer.update(stage.program("2", brokenProgram)));
    assert.match(error.message, /"agent" was installed but does not answer "initialize".*code 3.*no model/s);
    assert.deepEqual(await treeOf(stage.folder), before);
  });

  it("rolls back, stays there, and goes on when it is told to", async () => {
    const installer = stage.installer();
    const [first, second] = [stage.program("1"), stage.program("2")];
    await installer.install(first);
    await installer.install(second);
    const rolledBack = await installer.rollback("agent");
    assert.deepEqual([rolledBack.version, rolledBack.pinned, rolledBack.previous], ["1", "1", "2"]);
    assert.equal(await stage.output(rolledBack.command), "1");
    assert.equal((await installer.install(second)).version, "1");
    assert.equal((await installer.update(stage.program("3"))).version, "1");
    await installer.unpin("agent");
    assert.equal((await installer.install(second)).version, "2");
    assert.deepEqual(stage.server.asked, ["/1/agent", "/2/agent"]);
  });

  it("pins a version that is installed, and says which are when it is not", async () => {
    const installer = stage.installer();
    await installer.install(stage.program("1"));
    await installer.install(stage.program("2"));
    const error = await failure(installer.pin("agent", "9"));
    assert.deepEqual([error.code, error.text], ["not-installed", "agent 9 is not installed. Installed: 1, 2."]);
    assert.equal((await installer.pin("agent", "1")).version, "1");
    assert.equal((await installer.update(stage.program("3"))).version, "1");
    assert.equal(
      (await failure(installer.rollback("none"))).text,
      "none is not installed. Run `symposium-acp-agent registry install none`.",
    );
  });

  it("removes everything, and measures what is there", async () => {
    const installer = stage.installer();
    await installer.install(stage.program("1"));
    const [[id, bytes] = []] = await installer.diskUse();
    assert.ok(id === "agent" && bytes !== undefined && bytes > agentProgram("1").length);
    assert.deepEqual([await installer.remove("agent"), await installer.remove("agent")], [true, false]);
    assert.deepEqual(await readdir(stage.folder), []);
    assert.deepEqual([await installer.installed("agent"), await installer.list()], [undefined, []]);
  });

  it("installs the same version of another source beside the one in use", async () => {
    const installer = stage.installer();
    const first = await installer.install(stage.program("1"));
    const other = stage.program("1", agentProgram("other"), { url: stage.server.url("/other/agent") });
    stage.server.files.set("/other/agent", agentProgram("other"));
    const second = await installer.install(other);
    assert.notEqual(second.folder, first.folder);
    assert.equal(await stage.output(second.command), "other");
  });

  it("installs again what has lost its files", async () => {
    const installer = stage.installer();
    const plan = stage.program("1");
    const { command } = await installer.install(plan);
    await writeFile(join(stage.folder, "agent", "leftover"), "");
    await rm(command.command);
    assert.equal(await installer.installed("agent"), undefined);
    const again = await installer.install(plan);
    assert.equal(await stage.output(again.command), "1");
    assert.equal((await names()).includes("leftover"), false);
  });

  describe("checksums", () => {
    it("takes a file with the checksum of the registry, in any case", async () => {
      const sha256 = digestOf(agentProgram("1")).toUpperCase();
      await stage.installer().install(stage.program("1", agentProgram("1"), { sha256 }));
    });

    it("refuses any other, with both, before it is unpacked or started", async () => {
      const sha256 = "0".repeat(64);
      const error = await failure(stage.installer().install(stage.program("1", agentProgram("1"), { sha256 })));
      assert.equal(error.code, "checksum-mismatch");
      assert.ok(error.message.includes(sha256) && error.message.includes(digestOf(agentProgram("1"))));
      assert.deepEqual(await readdir(stage.folder), []);
    });

    it("remembers the first file of an address, and refuses another later", async () => {
      const installer = stage.installer();
      const first = stage.program("1");
      for (const plan of [first, stage.program("2"), stage.program("3")]) await installer.install(plan);
      assert.deepEqual(await names(), ["2", "3", "current.json"]);
      const error = await failure(installer.install(stage.program("1", agentProgram("evil"))));
      assert.equal(error.code, "checksum-mismatch");
      assert.ok(
        error.message.includes(digestOf(agentProgram("1"))) && error.message.includes(digestOf(agentProgram("evil"))),
      );
      assert.equal((await installer.installed("agent"))?.version, "3");
      await installer.remove("agent");
      assert.equal(await stage.output((await installer.install(first)).command), "evil");
    });
  });

  describe("downloads", () => {
    it("follows redirects, and none to an address that is not https", async () => {
      const plan = stage.program("1");
      stage.server.files.set("/r", (_, response) => response.writeHead(302, { location: "/1/agent" }).end());
      stage.server.files.set("/http", (_, response) =>
        response.writeHead(302, { location: "http://example.com/x" }).end(),
      );
      stage.server.files.set("/loop", (_, response) => response.writeHead(302, { location: "/loop" }).end());
      await stage.installer().install({ ...plan, url: stage.server.url("/r") });
      const at = (path: string): ArchivePlan => ({ ...plan, id: "b", url: stage.server.url(path) });
      assert.match(
        (await failure(stage.installer().install(at("/http")))).message,
        /"http:\/\/example.com\/x".*isn't an HTTPS/,
      );
      assert.match((await failure(stage.installer().install(at("/loop")))).message, /more than 10 times/);
      assert.deepEqual(await readdir(stage.folder), ["agent"]);
    });

    for (const url of ["http://example.com/a", "ftp://example.com/a", "file:///bin/sh"]) {
      it(`refuses ${url}`, async () => {
        assert.match(
          (await failure(stage.installer().install(stage.program("1", "", { url })))).message,
          /isn't an HTTPS address/,
        );
      });
    }

    it("says what to do when it is gone, when nobody answers and when it is too large", async () => {
      const plan = stage.program("1");
      const gone = await failure(stage.installer().install({ ...plan, url: stage.server.url("/none") }));
      assert.match(gone.text, /returned HTTP status 404\. The file no longer exists: update the registry/);
      const large = stage.installer({ limits: { maxDownloadBytes: 10 } });
      assert.match((await failure(large.install(plan))).message, /larger than 10 bytes/);
      stage.server.files.set("/cut", (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("x", () => response.destroy());
      });
      const cut = await failure(stage.installer().install({ ...plan, url: stage.server.url("/cut") }));
      assert.match(cut.message, /cannot be downloaded/);
      const { url } = plan;
      await stage.server[Symbol.asyncDispose]();
      const offline = await failure(stage.installer().install({ ...plan, url }));
      assert.match(offline.text, /ECONNREFUSED.*Check the connection and the proxy settings/s);
      assert.deepEqual(await readdir(stage.folder), []);
    });
  });

  it("says so when it may not write, or its folder is no folder", async () => {
    await writeFile(stage.folder, "");
    const error = await failure(stage.installer().install(stage.program("1")));
    assert.match(error.message, /"agent" cannot be installed: (?:EEXIST|ENOTDIR)/);
  });

  it("says so when the disk is full", async () => {
    const probe = (): Promise<void> =>
      Promise.reject(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }));
    const error = await failure(stage.installer({ probe }).install(stage.program("1")));
    assert.match(error.text, /The disk is full/);
    assert.deepEqual(await readdir(stage.folder), []);
  });

  it("refuses ids and versions that are no names for folders", async () => {
    for (const changes of [
      { id: "../x" },
      { id: "nul" },
      { id: "" },
      { version: "../x" },
      { version: "current.json" },
    ]) {
      const error = await failure(stage.installer().install(stage.program("1", agentProgram("1"), changes)));
      assert.match(error.message, /isn't a valid folder name/);
    }
    assert.deepEqual(await readdir(stage.folder).catch(() => []), []);
  });

  it("does not take a damaged state for none", async () => {
    await mkdir(join(stage.folder, "agent"), { recursive: true });
    await writeFile(join(stage.folder, "agent", "current.json"), "{");
    assert.match((await failure(stage.installer().install(stage.program("1")))).message, /current.json.*damaged/s);
    assert.deepEqual(await stage.installer().list(), []);
  });

  describe("cancellation", () => {
    for (const point of points) {
      it(`leaves nothing behind when it comes at "${point}"`, async () => {
        const controller = new AbortController();
        const installer = stage.installer({
          atPoint: (reached) => {
            if (reached === point) controller.abort(new Error("stop"));
          },
        });
        await assert.rejects(installer.install(stage.program("1"), { signal: controller.signal }), /^Error: stop$/);
        assert.deepEqual(await readdir(stage.folder), []);
      });

      it(`leaves the old version alone when it comes at "${point}" of an update`, async () => {
        await stage.installer().install(stage.program("1"));
        const before = await treeOf(stage.folder);
        const controller = new AbortController();
        const installer = stage.installer({
          atPoint: (reached) => {
            if (reached === point) controller.abort(new Error("stop"));
          },
        });
        await assert.rejects(installer.install(stage.program("2"), { signal: controller.signal }), /^Error: stop$/);
        assert.deepEqual(await treeOf(stage.folder), before);
      });
    }

    it("ends a download that hangs, and a probe that gets no answer, with its process", async () => {
      const controller = new AbortController();
      stage.server.files.set("/hang", (_, response) => {
        response.writeHead(200);
        response.write("x");
        setImmediate(() => controller.abort(new Error("stop")));
      });
      const plan = stage.program("1", "", { url: stage.server.url("/hang") });
      await assert.rejects(stage.installer().install(plan, { signal: controller.signal }), /^Error: stop$/);
      const silent = stage.program(
        "2",
        `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(join(stage.home, "pid"))}, String(process.pid)); process.stdin.resume(); setInterval(() => {}, 1000);`,
      );
      const late = new AbortController();
      const attempt = stage.installer().install(silent, { signal: late.signal });
      const pidFile = join(stage.home, "pid");
      let pid = "";
      while (pid === "") pid = await readFile(pidFile, "utf8").catch(() => "");
      late.abort(new Error("stop"));
      await assert.rejects(attempt, /^Error: stop$/);
      assert.throws(() => process.kill(Number(pid), 0), /ESRCH/);
      assert.deepEqual(await readdir(stage.folder), []);
    });
  });

  it("lets one installation of an id happen at a time, and the second find the first's", async () => {
    const plan = stage.program("1");
    const all = await Promise.all(Array.from({ length: 5 }, (): Promise<Installed> => stage.installer().install(plan)));
    assert.deepEqual(stage.server.asked, ["/1/agent"]);
    assert.equal(new Set(all.map(({ folder }) => folder)).size, 1);
    assert.deepEqual(await readdir(stage.folder), ["agent"]);
  });

  it("greets a proxy as one", async () => {
    const proxy = `#!${process.execPath}
process.stdin.on("data", (data) => {
  const { id, method } = JSON.parse(String(data));
  const known = method === "proxy/initialize";
  if (known) console.log(JSON.stringify({ jsonrpc: "2.0", id: "s", method: "proxy/successor", params: {} }));
  else console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }));
}).on("end", () => process.exit(0));
`;
    await stage.installer().install(stage.program("1", proxy), { role: "proxy" });
    const error = await failure(stage.installer().install(stage.program("2", proxy)));
    assert.match(error.message, /returned the error.*-32601/);
  });
});
