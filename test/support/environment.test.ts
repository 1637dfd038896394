import assert from "node:assert/strict";
import { environmentOfThisMachine } from "./environment.js";

describe("the environment of this machine", () => {
  const names = ["RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"];
  let before: Readonly<Record<string, string | undefined>>;
  beforeEach(() => (before = Object.fromEntries(names.map((name) => [name, process.env[name]]))));
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });

  it("says where a working Rust is, as the user's own does", () => {
    for (const name of names) process.env[name] = `/rust/${name}`;
    const { RUSTUP_HOME, CARGO_HOME, RUSTUP_TOOLCHAIN } = environmentOfThisMachine();
    assert.deepEqual(
      [RUSTUP_HOME, CARGO_HOME, RUSTUP_TOOLCHAIN],
      ["/rust/RUSTUP_HOME", "/rust/CARGO_HOME", "/rust/RUSTUP_TOOLCHAIN"],
    );
  });
});
