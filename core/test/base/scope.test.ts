import assert from "node:assert/strict";
import { Scope } from "../../src/base/scope.js";

describe("Scope", () => {
  it("releases what it owns in reverse order, one after the other, once", async () => {
    const scope = new Scope();
    const released: string[] = [];
    scope.add(() => void released.push("first"));
    scope.add({
      async [Symbol.asyncDispose]() {
        released.push("second begins");
        await Promise.resolve();
        released.push("second ends");
      },
    });
    const third = scope.add({ [Symbol.dispose]: () => void released.push("third") });
    assert.equal(typeof third[Symbol.dispose], "function");
    await Promise.all([scope[Symbol.asyncDispose](), scope[Symbol.asyncDispose]()]);
    await scope[Symbol.asyncDispose]();
    assert.deepEqual(released, ["third", "second begins", "second ends", "first"]);
  });

  it("releases at once what arrives after it has closed", async () => {
    const scope = new Scope();
    await scope[Symbol.asyncDispose]();
    let released = 0;
    scope.add(() => {
      released++;
    });
    assert.deepEqual([scope.isClosed, released], [true, 1]);
  });

  it("waits, at the next end, for what arrived late", async () => {
    const scope = new Scope();
    void scope[Symbol.asyncDispose]();
    const released: string[] = [];
    scope.add(async () => {
      await Promise.resolve();
      released.push("late");
    });
    await scope[Symbol.asyncDispose]();
    assert.deepEqual(released, ["late"]);
  });

  it("tries every resource and throws the first failure at the end", async () => {
    const scope = new Scope();
    const tried: string[] = [];
    for (const name of ["a", "b", "c"]) {
      scope.add(() => {
        tried.push(name);
        if (name !== "b") throw new Error(name);
      });
    }
    await assert.rejects(scope[Symbol.asyncDispose](), /^Error: c$/);
    assert.deepEqual(tried, ["c", "b", "a"]);
  });

  it("keeps the failure of a late arrival for the next end, and bothers nobody with it before", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const scope = new Scope();
      await scope[Symbol.asyncDispose]();
      scope.add(() => Promise.reject(new Error("late")));
      await new Promise((resolve) => setImmediate(resolve));
      await assert.rejects(scope[Symbol.asyncDispose](), /late/);
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});
