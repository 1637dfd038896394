import assert from "node:assert/strict";
import type { RunExit } from "../../../src/base/runs/run.js";
import { finished, Machine, stage, succeeded } from "./cargo-stage.js";

/** A build that ends when it is told to, and tells when it has begun. */
function heldBuild(machine: Machine): { begun: Promise<void>; end: () => void } {
  let begin: () => void = () => undefined;
  let end: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const held = new Promise<void>((resolve) => (end = resolve));
  machine.build = async (signal) => {
    begin();
    const cancelled = new Promise<boolean>((resolve) => {
      signal.addEventListener("abort", () => resolve(true), { once: true });
    });
    const isCancelled = await Promise.race([held.then(() => false), cancelled]);
    const exit: RunExit = isCancelled ? { code: null, signal: "SIGTERM", endedBy: "cancel", durationMs: 1 } : succeeded;
    return { output: finished, exit };
  };
  return { begun, end };
}

describe("cargoProxy", () => {
  it("offers all tools, or those that its options name", async () => {
    const all = ["check", "build", "test", "clippy", "run", "fmt_check", "detail", "output"].map(
      (name) => `cargo_${name}`,
    );
    const { list } = stage(new Machine(), { tools: "all", timeoutMs: -1 });
    assert.deepEqual(await list(), all);
    const fewer = stage(new Machine(), { tools: ["cargo_check", "cargo_nothing"] });
    assert.deepEqual(await fewer.list(), ["cargo_check"]);
  });

  it("gives its server the product's version", async () => {
    const { serverInfo } = await stage(new Machine()).describe(new AbortController().signal);
    assert.deepEqual(serverInfo, { name: "cargo", version: "1.2.3" });
  });

  it("reports a passing run in one line", async () => {
    const { call } = stage(new Machine());
    assert.deepEqual(await call("cargo_check"), { text: "cargo check: exit 0, 0.1 s [c1]", isError: false });
  });

  const shortRuns = [
    [
      "what it said where cargo refuses at once",
      "error: no bin target named `x`\n",
      101,
      "error: no bin target named `x`",
    ],
    ["the exit code where only a report tells it", `${finished}x\n`, 3, "cargo run: exit 3, 0.1 s [c1]\nx"],
  ] as const;
  for (const [what, output, code, expected] of shortRuns) {
    it(`answers a short run with ${what}`, async () => {
      const machine = new Machine();
      machine.build = () => Promise.resolve({ output, exit: { ...succeeded, code } });
      assert.equal((await stage(machine).call("cargo_run")).text, expected);
    });
  }

  it("gives cargo the environment of the call on top of its own", async () => {
    const machine = new Machine();
    await stage(machine).call("cargo_run", { env: { CARGO_TERM_COLOR: "always", LEVEL: "3" }, cwd: "/w/base" });
    const { env, cwd } = machine.commands[1] ?? {};
    assert.deepEqual(
      [env?.["LEVEL"], env?.["CARGO_TERM_COLOR"], env?.["CARGO_TERM_QUIET"], cwd],
      ["3", "always", "false", "/w/base"],
    );
  });

  const faults: readonly (readonly [string, Partial<Machine>, Record<string, unknown>, RegExp])[] = [
    ["a folder that does not exist", {}, { cwd: "gone" }, /"gone" is not a folder/],
    [
      "a machine without cargo",
      { inspect: () => ({ output: "", exit: { ...succeeded, code: null, startError: "ENOENT" } }) },
      {},
      /not on the PATH.\nInstall Rust/,
    ],
    [
      "a folder without a package",
      { inspect: () => ({ output: "error: could not find `Cargo.toml` in `/w`", exit: { ...succeeded, code: 101 } }) },
      {},
      /could not find `Cargo.toml` in `\/w`\nSet `cwd`/,
    ],
    [
      "a toolchain that is missing",
      { inspect: () => ({ output: "error: toolchain 'x' is not installed", exit: { ...succeeded, code: 1 } }) },
      { toolchain: "x" },
      /^error: toolchain 'x' is not installed\nLeave `toolchain` out/,
    ],
    [
      "a rustup without a default toolchain",
      {
        inspect: () => ({
          output:
            "error: rustup could not choose a version of cargo to run, because\nhelp: x\n\nStack backtrace:\n  0: f\n",
          exit: { ...succeeded, code: 1 },
        }),
      },
      {},
      /^cargo cannot run: rustup has no default toolchain\.\nRun `rustup default stable`\.$/,
    ],
    [
      "a toolchain of the folder that is missing",
      { inspect: () => ({ output: "error: toolchain 'x' is not installed", exit: { ...succeeded, code: 1 } }) },
      {},
      /^cargo cannot run: the toolchain x is not installed\.\nRun `rustup toolchain install x`\.$/,
    ],
    [
      "a failure with a stack of its own",
      {
        inspect: () => ({
          output: "error: it broke\n\nStack backtrace:\n   0: anyhow::error\n   1: main\n",
          exit: { ...succeeded, code: 1 },
        }),
      },
      {},
      /^error: it broke$/,
    ],
    [
      "a package that is unknown",
      {
        build: () =>
          Promise.resolve({
            output: "error: package ID specification `bass` did not match any packages\n",
            exit: { ...succeeded, code: 101 },
          }),
      },
      { package: "bass" },
      /`bass` did not match any packages\nPackages of this workspace: base\./,
    ],
  ];
  it("runs tests with nextest where the call or the options say so", async () => {
    const subcommands: unknown[] = [];
    for (const [options, args] of [
      [{}, {}],
      [{}, { runner: "nextest", filter: "x" }],
      [{ testRunner: "nextest" }, {}],
      [{ testRunner: "nextest" }, { runner: "cargo" }],
    ] as const) {
      const machine = new Machine();
      await stage(machine, options).call("cargo_test", args);
      subcommands.push(machine.commands.at(-1)?.args.join(" "));
    }
    const nextest = "nextest run --no-fail-fast --cargo-message-format=json";
    const cargo = "test --no-fail-fast --message-format=json";
    assert.deepEqual(subcommands, [cargo, `${nextest} x`, nextest, cargo]);
  });

  it("says how to get nextest where there is none", async () => {
    const machine = new Machine();
    const output = "error: no such command: `nextest`\n\nhelp: view all installed commands with `cargo --list`\n";
    machine.build = () => Promise.resolve({ output, exit: { ...succeeded, code: 101 } });
    const { text, isError } = await stage(machine).call("cargo_test", { runner: "nextest" });
    assert.match(text, /^error: no such command: `nextest`\n.*Install it with `cargo install cargo-nextest --locked`/s);
    assert.ok(isError);
  });

  for (const [what, machine, args, expected] of faults) {
    it(`answers ${what} with an error that says what to do`, async () => {
      const { text, isError } = await stage(Object.assign(new Machine(), machine)).call("cargo_check", args);
      assert.match(text, expected);
      assert.ok(isError);
    });
  }

  for (const [what, tree, suffixes] of [
    [
      "how many packages are built of how many",
      "a v1.0.0 (/w/a)\nb v1.2.3\nc v2.0.0 (proc-macro)\nb v1.2.3 (*)\n\n",
      [1, 2],
    ],
    ["no number that cannot be true", "a v1.0.0\n", [1]],
  ] as const) {
    it(`tells ${what}, once a second package is compiled`, async () => {
      const machine = new Machine();
      let isListed: () => void = () => undefined;
      const listed = new Promise<void>((resolve) => (isListed = resolve));
      const run = machine.run.bind(machine);
      machine.run = async (command, limits) => {
        const [subcommand] = command.args;
        if (subcommand !== "check" && subcommand !== "tree") return run(command, limits);
        machine.commands.push(command);
        if (subcommand === "tree") {
          limits.output(tree);
          setImmediate(isListed);
          return succeeded;
        }
        const artifact = (id: string, kind: string): string =>
          `${JSON.stringify({ reason: "compiler-artifact", package_id: id, target: { kind: [kind] } })}\n`;
        limits.output("   Compiling a v1.0.0\n");
        const alone = machine.commands.length;
        limits.output("   Compiling b v1.2.3\n");
        await listed;
        assert.equal(alone, 2);
        limits.output(artifact("a", "lib") + artifact("b", "custom-build") + "   Compiling c v2.0.0\n");
        limits.output(artifact("a", "bin") + artifact("b", "lib") + `    Checking d v1.0.0\n${finished}`);
        return succeeded;
      };
      const { call, notes } = stage(machine);
      await call("cargo_check");
      const total = tree.startsWith("a v1.0.0 (") ? 3 : 1;
      const suffixOf = (index: number): string => {
        const built = suffixes[index];
        return built === undefined ? "" : ` (${built} of ${total} packages built)`;
      };
      assert.deepEqual(notes.slice(1), [
        "Compiling a v1.0.0",
        "Compiling b v1.2.3",
        `Compiling c v2.0.0${suffixOf(0)}`,
        `Checking d v1.0.0${suffixOf(1)}`,
      ]);
    });
  }

  it("runs one cargo at a time in a target directory, and tells the next that it waits", async () => {
    const machine = new Machine();
    const { call, notes } = stage(machine);
    const { begun, end } = heldBuild(machine);
    const first = call("cargo_check");
    await begun;
    const second = call("cargo_build");
    while (!notes.some((note) => note.startsWith("waiting"))) await new Promise(setImmediate);
    assert.deepEqual([notes.at(-1), machine.commands.length], ["waiting for another cargo in /w/target", 3]);
    end();
    await Promise.all([first, second]);
    assert.deepEqual(
      machine.commands.map(({ args }) => args[0]),
      ["metadata", "check", "metadata", "build"],
    );
  });

  it("leaves the queue when a waiting call is cancelled", async () => {
    const machine = new Machine();
    const { call, notes } = stage(machine);
    const { begun, end } = heldBuild(machine);
    const first = call("cargo_check");
    await begun;
    const abort = new AbortController();
    const second = call("cargo_build", {}, abort);
    while (!notes.some((note) => note.startsWith("waiting"))) await new Promise(setImmediate);
    abort.abort();
    assert.deepEqual(await second, { text: "Request cancelled", isError: true });
    end();
    assert.equal((await first).isError, false);
    assert.equal((await call("cargo_check")).isError, false);
  });

  it("cancels a run when its session ends", async () => {
    const machine = new Machine();
    const { call, session } = stage(machine);
    const { begun } = heldBuild(machine);
    const running = call("cargo_check");
    await begun;
    session.abort();
    assert.deepEqual(await running, { text: "cargo check was cancelled.", isError: true });
  });

  it("cancels a run when the chain ends", async () => {
    const machine = new Machine();
    const { call, handlers } = stage(machine);
    const { begun } = heldBuild(machine);
    const running = call("cargo_check");
    await begun;
    await handlers[Symbol.asyncDispose]?.();
    assert.deepEqual(await running, { text: "cargo check was cancelled.", isError: true });
  });

  it("reports what was told before a time-out", async () => {
    const machine = new Machine();
    const exit: RunExit = { code: null, signal: "SIGKILL", endedBy: "timeout", durationMs: 2_100 };
    machine.build = () => Promise.resolve({ output: `${finished}running 2 tests\ntest a ... ok\n`, exit });
    const { text, isError } = await stage(machine).call("cargo_test", { timeout_seconds: 2 });
    assert.match(text, /^cargo test --no-fail-fast: TIMED OUT after 2 s .*1 of 2 tests done/s);
    assert.ok(isError);
  });

  it("names the handles it keeps when asked for another", async () => {
    const { call } = stage(new Machine());
    await call("cargo_check");
    assert.deepEqual(
      [await call("cargo_output", { handle: "c7" }), await call("cargo_detail", { handle: "c1", index: 1 })],
      [
        { text: `handle: "c7" isn't stored. Kept: c1.`, isError: true },
        { text: "index: c1 has no diagnostic 1. It has none; cargo_output shows its output.", isError: true },
      ],
    );
  });
});
