import assert from "node:assert/strict";
import { unusableCargo } from "../../../src/base/cargo/unusable-cargo.js";

const stack = "\n\nStack backtrace:\n   0: anyhow::error::from\n   1: rustup::config::no_toolchain_error\n";

describe("a cargo that cannot run", () => {
  const texts: Readonly<Record<string, [text: string, reason: string, hint: string]>> = {
    "has no default toolchain": [
      "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default " +
        `is configured.\nhelp: run 'rustup default stable' to download the latest stable release.${stack}`,
      "rustup has no default toolchain",
      "Run `rustup default stable`.",
    ],
    "has no default toolchain, in the words of older ones": [
      "info: syncing\nerror: no override and no default toolchain set\n",
      "rustup has no default toolchain",
      "Run `rustup default stable`.",
    ],
    "belongs to a toolchain that is not there": [
      "error: toolchain '1.70.0-x86_64-unknown-linux-gnu' is not installed\nhelp: run `rustup toolchain install`",
      "the toolchain 1.70.0-x86_64-unknown-linux-gnu is not installed",
      "Run `rustup toolchain install 1.70.0-x86_64-unknown-linux-gnu`.",
    ],
    "is no part of its toolchain": [
      "error: 'cargo.exe' is not installed for the toolchain 'nightly-x86_64-pc-windows-msvc'.\n",
      "the toolchain nightly-x86_64-pc-windows-msvc has no cargo",
      "Run `rustup component add cargo --toolchain nightly-x86_64-pc-windows-msvc`.",
    ],
  };
  for (const [what, [text, reason, hint]] of Object.entries(texts)) {
    it(`is told with its remedy when it ${what}`, () => assert.deepEqual(unusableCargo(text), { reason, hint }));
  }

  it("is none that failed by itself, whatever it quotes", () => {
    for (const text of [
      "",
      "error: could not find `Cargo.toml` in `/x` or any parent directory",
      "error: could not compile\nerror: toolchain 'x' is not installed",
      "note: rustup could not choose a version of cargo to run",
    ]) {
      assert.equal(unusableCargo(text), undefined, text);
    }
  });
});
