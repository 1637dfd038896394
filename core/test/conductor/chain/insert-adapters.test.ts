import assert from "node:assert/strict";
import { hasCapability } from "../../../src/base/acp/capabilities.js";
import { insertAdapters } from "../../../src/conductor/chain/conductor.js";
import { nameOf, type ProxyComponent } from "../../../src/conductor/chain/component.js";
import type { Adapter } from "../../../src/conductor/chain/proxy.js";

const proxy = (name: string, ...needs: string[]): ProxyComponent => ({
  kind: "proxy",
  proxy: { name, needs, connect: () => ({}) },
});
const adapter = (provides: string): Adapter => ({
  provides,
  make: () => ({ name: `adapter of ${provides}`, connect: () => ({}) }),
});
const process: ProxyComponent = { kind: "process", name: "external", command: { command: "x", args: [], env: {} } };
const names = (wanted: readonly ProxyComponent[], adapters: readonly Adapter[], capabilities: unknown): string[] =>
  insertAdapters(wanted, adapters, capabilities).map(nameOf);

describe("insertAdapters", () => {
  it("puts an adapter before the first proxy that needs what the editor lacks, once", () => {
    const wanted = [process, proxy("a", "x.y"), proxy("b", "x.y", "z"), proxy("c")];
    assert.deepEqual(names(wanted, [adapter("z"), adapter("x.y"), adapter("unused")], {}), [
      "external",
      "adapter of x.y",
      "a",
      "adapter of z",
      "b",
      "c",
    ]);
  });

  it("leaves adapters out where the editor has the capability", () => {
    assert.deepEqual(names([proxy("a", "x.y", "z")], [adapter("x.y"), adapter("z")], { x: { y: {} }, z: true }), ["a"]);
  });

  it("lets a proxy join that nobody can help", () => {
    assert.deepEqual(names([proxy("a", "x")], [], undefined), ["a"]);
  });

  it("takes a proxy's own adapter before the others, and lets later proxies use it", () => {
    const own: ProxyComponent = {
      kind: "proxy",
      proxy: {
        name: "a",
        needs: ["x"],
        adapters: [{ provides: "x", make: () => ({ name: "own adapter", connect: () => ({}) }) }],
        connect: () => ({}),
      },
    };
    assert.deepEqual(names([own, proxy("b", "x")], [adapter("x")], {}), ["own adapter", "a", "b"]);
    assert.deepEqual(names([own], [], { x: {} }), ["a"]);
  });

  it("prefers the first of two adapters that provide the same", () => {
    assert.deepEqual(names([proxy("a", "x")], [adapter("x"), adapter("x")], null), ["adapter of x", "a"]);
  });
});

describe("hasCapability", () => {
  it("takes true and objects for yes, and everything else for no", () => {
    const values: unknown[] = [true, {}, { a: 1 }, false, null, undefined, [], "yes", 1];
    assert.deepEqual(
      values.map((value) => hasCapability({ a: { b: value } }, "a.b")),
      [true, true, true, false, false, false, false, false, false],
    );
  });

  it("takes a path through anything but objects for no", () => {
    assert.deepEqual(
      [null, { a: true }, { a: [] }, "a"].map((value) => hasCapability(value, "a.b")),
      [false, false, false, false],
    );
  });
});
