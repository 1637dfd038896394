import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Logger } from "../../../../src/base/logger.js";
import { Scope } from "../../../../src/base/scope.js";
import type { McpServer } from "../../../../src/base/mcp/mcp-server.js";
import { Watchdog } from "../../../../src/base/node/orphan-watchdog.js";
import { toCargoCall } from "../../../../src/extensions/cargo/cargo-command.js";
import { cargoProxy } from "../../../../src/extensions/cargo/cargo-proxy.js";
import { cargoServices } from "../../../../src/extensions/cargo/node.js";
import { PackageTotal } from "../../../../src/extensions/cargo/workspace-facts.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { nobody } from "../../../../src/base/rpc/peer.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { needsCargo } from "../../../needs-cargo.js";
import { killAll, survivingProcesses } from "../../node/surviving-processes.js";

const fixtures = fileURLToPath(new URL("../../../../../../test/fixtures/cargo", import.meta.url));

/** Runs the tools over copies of the fixture crates. */
class Workshop {
  readonly scope = new Scope();
  readonly notes: string[] = [];

  private constructor(
    readonly folder: string,
    readonly session: AbortController,
    private readonly server: McpServer,
  ) {}

  static async open(): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), "cargo-test-"));
    await cp(fixtures, folder, { recursive: true, filter: (path) => !/recorded$|target$/.test(path) });
    const watchdog = new Watchdog();
    const services = cargoServices({ watchdog, terminationMs: 500, maxOutputBytes: 1_000_000 });
    const handlers = cargoProxy({}, services, trusting(), "1.2.3").connect({
      client: nobody,
      successor: nobody,
      logger: Logger.silent,
    });
    const session = new AbortController();
    const [server] = handlers.mcpServers?.({ sessionId: "s", cwd: folder, signal: session.signal }) ?? [];
    assert.ok(server);
    const workshop = new Workshop(folder, session, server);
    workshop.scope.add(() => rm(folder, { recursive: true, force: true }));
    workshop.scope.add(watchdog);
    workshop.scope.add(async () => {
      await handlers[Symbol.asyncDispose]?.();
    });
    return workshop;
  }

  async call(name: string, args: unknown, abort = new AbortController()): Promise<{ text: string; isError: boolean }> {
    const params = Json.of({ name, arguments: args, _meta: { progressToken: 1 } });
    const outcome = await this.server.call("tools/call", params, {
      signal: abort.signal,
      notify: (_, note) => void this.notes.push(String(note?.object?.["message"])),
    });
    const answer = JSON.parse(outcome.json.text) as {
      content?: { text: string }[];
      isError?: boolean;
      message?: string;
    };
    return {
      text: answer.content?.[0]?.text ?? answer.message ?? "",
      isError: outcome.isError || answer.isError === true,
    };
  }

  /** The processes that the crate `sleeping` has written down, once it has. */
  async sleepers(): Promise<number[]> {
    for (;;) {
      const text = await readFile(join(this.folder, "pids"), "utf8").catch(() => "");
      if (text.endsWith("\n")) return text.trim().split(" ").map(Number);
      await delay(20);
    }
  }

  get pidsFile(): string {
    return join(this.folder, "pids");
  }
}

describe("cargo tools, with the cargo of the PATH", function () {
  this.timeout(300_000);
  let workshop: Workshop;
  before(async function () {
    workshop = await Workshop.open();
    needsCargo(this);
  });
  after(() => workshop.scope[Symbol.asyncDispose]());

  it("numbers diagnostics whose details and output stay at hand", async () => {
    const { text, isError } = await workshop.call("cargo_check", { cwd: "borrow" });
    assert.match(
      text,
      /^cargo check: exit 101, \d+\.\d s, 4 errors \[c1\]\nsrc\/lib.rs\n1\. 4:17 E0382 use of moved value: `words`/,
    );
    assert.equal(isError, false);
    const detail = await workshop.call("cargo_detail", { handle: "c1", index: 1 });
    assert.match(detail.text, /^error\[E0382\].*value moved here.*consider cloning the value/s);
    const output = await workshop.call("cargo_output", { handle: "c1", offset: -60 });
    assert.match(output.text, /^c1: bytes \d+ to (\d+) of \1, the end\n.*could not compile `borrow`/s);
    assert.deepEqual(workshop.notes.filter((note) => note.includes("borrow v0.1.0")).length, 1);
  });

  it("names the failed tests of a crate with their output", async () => {
    const { text } = await workshop.call("cargo_test", { cwd: "tests", cargo_args: ["--lib"], filter: "halves" });
    assert.match(
      text,
      /^cargo test --no-fail-fast --lib halves: exit 101, \S+ s, 0 passed, 1 failed, 7 filtered out \[/,
    );
    assert.match(text, /FAILED tests::halves src\/lib.rs:38:9: .*half of eight\n.*about to halve eight/s);
  });

  it("folds what a library and its tests say alike", async () => {
    const { text } = await workshop.call("cargo_check", { cwd: "warnings", cargo_args: ["--all-targets"] });
    assert.match(text, /28 warnings, 27 repeats folded/);
  });

  it("shows a program's output and exit code", async () => {
    const { text } = await workshop.call("cargo_run", { cwd: "passing", args: ["1", "fail"] });
    assert.match(text, /: exit 3, .*\ndoubled: 42\nline 0\nfailing as asked$/);
    const environment = await workshop.call("cargo_run", {
      cwd: "passing",
      args: ["environment"],
      env: { GREETING: "hello" },
    });
    assert.match(environment.text, /\nGREETING=hello$/);
  });

  it("names unformatted lines and changes nothing", async () => {
    const before = await readFile(join(workshop.folder, "unformatted/src/lib.rs"), "utf8");
    const { text } = await workshop.call("cargo_fmt_check", { cwd: "unformatted" });
    assert.match(text, /: exit 1, .*2 files unformatted \[c\d+\]\nsrc\/lib.rs: line 1, 6\nsrc\/other.rs: line 1$/);
    assert.equal(await readFile(join(workshop.folder, "unformatted/src/lib.rs"), "utf8"), before);
  });

  it("builds one package with its features, and says where paths start from", async () => {
    const { text } = await workshop.call("cargo_build", { cwd: "workspace/base", features: ["loud"] });
    assert.match(text, /\npaths from \S+workspace\nbase\/src\/lib.rs errors\n1\. 7:1 too loud/);
  });

  it("counts the packages of a build without the network", async () => {
    await workshop.call("cargo_check", { cwd: "workspace" });
    const { tree } = toCargoCall({ tool: "cargo_check", args: ["check"], kind: "build" }, {});
    using watchdog = new Watchdog();
    const services = cargoServices({ watchdog });
    const totals = ["workspace", "workspace/middle", "nowhere"].map(
      (folder) => new PackageTotal(services, { args: tree, cwd: join(workshop.folder, folder), env: {} }),
    );
    await Promise.all(totals.map((total) => total.ask()));
    assert.deepEqual(
      totals.map(({ packages }) => packages),
      [3, 2, undefined],
    );
  });

  const faults: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ["a folder without a package", { cwd: ".." }, /could not find `Cargo.toml`.*Set `cwd`/s],
    ["an unknown package", { cwd: "workspace", package: "bass" }, /did not match any packages.*base, middle, top\.$/s],
    ["an unknown feature", { cwd: "workspace/base", features: ["lout"] }, /lout.*base: default, loud/s],
    ["an unknown option", { cwd: "passing", cargo_args: ["--nonsense"] }, /unexpected argument '--nonsense'/],
  ];
  for (const [what, args, expected] of faults) {
    it(`says what is wrong with ${what}`, async () => {
      const { text, isError } = await workshop.call("cargo_check", args);
      assert.match(text, expected);
      assert.ok(isError);
    });
  }

  it("says that cargo is missing where the PATH has none", async () => {
    const { text, isError } = await workshop.call("cargo_check", { cwd: "passing", env: { PATH: workshop.folder } });
    assert.match(text, /^cargo is not on the PATH\.\nInstall Rust/);
    assert.ok(isError);
  });
});

describe("a cargo run that is ended", function () {
  this.timeout(300_000);
  before(function () {
    needsCargo(this);
  });
  let workshop: Workshop;
  let pids: number[] = [];
  beforeEach(async () => {
    workshop = await Workshop.open();
    pids = [];
  });
  afterEach(async () => {
    await workshop.scope[Symbol.asyncDispose]();
    killAll(pids);
  });

  it("takes a build script and its child with it when the call is cancelled", async () => {
    const abort = new AbortController();
    const env = { SLEEP_IN_BUILD: "1", PIDS: workshop.pidsFile };
    const running = workshop.call("cargo_check", { cwd: "sleeping", env }, abort);
    pids = await workshop.sleepers();
    assert.equal((await survivingProcesses(pids)).length, 2);
    abort.abort();
    assert.deepEqual(await running, { text: "Request cancelled", isError: true });
    assert.deepEqual(await survivingProcesses(pids), []);
  });

  it("takes a test and its child with it when the session ends", async () => {
    const running = workshop.call("cargo_test", { cwd: "sleeping", env: { PIDS: workshop.pidsFile } });
    pids = await workshop.sleepers();
    workshop.session.abort();
    assert.ok((await running).isError);
    assert.deepEqual(await survivingProcesses(pids), []);
  });

  it("takes everything with it when the chain ends, and leaves no file", async () => {
    const running = workshop.call("cargo_test", { cwd: "sleeping", env: { PIDS: workshop.pidsFile } });
    pids = await workshop.sleepers();
    await workshop.scope[Symbol.asyncDispose]();
    assert.ok((await running).isError);
    assert.deepEqual(await survivingProcesses(pids), []);
    await assert.rejects(readdir(workshop.folder));
  });

  it("ends a program that writes without end, and shows how it began", async () => {
    const env = { RUST_BACKTRACE: "0" };
    const { text, isError } = await workshop.call("cargo_run", { cwd: "passing", args: ["100000000"], env });
    assert.match(
      text,
      /^cargo run -- 100000000: STOPPED because it wrote too much output.*\ndoubled: 42\nline 0\n.*lines left out/s,
    );
    assert.ok(isError);
  });

  it("tells what was done when its time is over", async () => {
    await workshop.call("cargo_test", { cwd: "sleeping", cargo_args: ["--no-run"] });
    const env = { PIDS: workshop.pidsFile };
    const { text, isError } = await workshop.call("cargo_test", { cwd: "sleeping", env, timeout_seconds: 2 });
    assert.match(text, /^cargo test --no-fail-fast: TIMED OUT after 2 s and was stopped with everything it started/);
    assert.ok(isError);
    const written = await readFile(workshop.pidsFile, "utf8").catch(() => "");
    pids = written
      .trim()
      .split(" ")
      .map(Number)
      .filter((pid) => pid > 0);
    assert.deepEqual(await survivingProcesses(pids), []);
  });
});
