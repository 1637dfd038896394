import assert from "node:assert/strict";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { type CargoVerb, toCargoCall } from "../../../src/extensions/cargo/cargo-command.js";

const check: CargoVerb = { tool: "cargo_check", args: ["check"], kind: "build" };
const test: CargoVerb = { tool: "cargo_test", args: ["test", "--no-fail-fast"], kind: "test" };
const format: CargoVerb = { tool: "cargo_fmt_check", args: ["fmt", "--check"], kind: "format" };

describe("toCargoCall", () => {
  it("asks for messages in JSON, and shows people the command without that", () => {
    const call = toCargoCall(check, {});
    assert.deepEqual([call.args, call.commandLine], [["check", "--message-format=json"], "cargo check"]);
  });

  it("puts every argument where cargo expects it", () => {
    const call = toCargoCall(test, {
      package: "base",
      features: ["a", "b"],
      no_default_features: true,
      target: "x86_64-unknown-linux-gnu",
      toolchain: "+nightly",
      filter: "parses it",
      cargo_args: ["--release"],
      args: ["--ignored"],
      env: { RUST_BACKTRACE: "1" },
      timeout_seconds: 5,
      cwd: "sub",
    });
    assert.deepEqual(call, {
      verb: test,
      toolchain: ["+nightly"],
      args: [
        "test",
        "--no-fail-fast",
        "--message-format=json",
        "--package=base",
        "--features=a,b",
        "--no-default-features",
        "--target=x86_64-unknown-linux-gnu",
        "--release",
        "parses it",
        "--",
        "--ignored",
      ],
      tree: [
        "tree",
        "--frozen",
        "--prefix=none",
        "--format={p}",
        "--edges=normal,build,dev",
        "--package=base",
        "--features=a,b",
        "--no-default-features",
        "--target=x86_64-unknown-linux-gnu",
      ],
      commandLine:
        "cargo +nightly test --no-fail-fast --package=base --features=a,b --no-default-features " +
        "--target=x86_64-unknown-linux-gnu --release 'parses it' -- --ignored",
      env: { RUST_BACKTRACE: "1" },
      cwd: "sub",
      timeoutMs: 5_000,
    });
  });

  it("has the packages listed that it builds, and of the extra arguments takes those that choose packages", () => {
    const extra = [
      "-p",
      "a",
      "--exclude=b",
      "--release",
      "--features",
      "c",
      "-Fd",
      "--workspace",
      "--bin",
      "e",
      "-j",
      "2",
    ];
    const chosen = ["-p", "a", "--exclude=b", "--features", "c", "-Fd", "--workspace"];
    const treeOf = (...args: string[]): readonly string[] => toCargoCall(check, { cargo_args: args }).tree.slice(4);
    assert.deepEqual(
      [treeOf(...extra), treeOf("--all-targets"), treeOf("--bench=x")],
      [["--edges=normal,build", ...chosen], ["--edges=normal,build,dev"], ["--edges=normal,build,dev"]],
    );
  });

  it("asks rustfmt for differences without colours", () => {
    assert.deepEqual(toCargoCall(format, { args: ["--edition", "2024"] }).args, [
      "fmt",
      "--check",
      "--",
      "--edition",
      "2024",
      "--color",
      "never",
    ]);
  });

  const refused: readonly (readonly [string, Record<string, unknown>])[] = [
    ["an option as a filter", { filter: "--list" }],
    ["an option as a toolchain", { toolchain: "-v" }],
    ["another message format", { cargo_args: ["--message-format=short"] }],
    ["a target directory, which decides what waits for what", { cargo_args: ["--target-dir", "x"] }],
    ["the end of cargo's own options", { cargo_args: ["--", "x"] }],
    ["a variable that is no text", { env: { LEVEL: 1 } }],
  ];
  for (const [what, args] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => toCargoCall(test, args),
        (error) => error instanceof SymposiumError && error.code === "invalid-arguments" && error.hint !== undefined,
      );
    });
  }
});
