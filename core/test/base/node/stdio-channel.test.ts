import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const fixture = fileURLToPath(new URL("stdio-fixture.js", import.meta.url));

describe("stdioChannel", function () {
  this.timeout(60_000);
  let child: ChildProcessByStdio<Writable, Readable, Readable>;
  let closed: Promise<unknown[]>;

  beforeEach(() => {
    child = spawn(process.execPath, [fixture], { stdio: "pipe" });
    closed = once(child, "close");
  });

  afterEach(async () => {
    child.kill("SIGKILL");
    child.stdout.destroy();
    await closed;
  });

  it("carries lines both ways, the last one without its newline too, and lets the process exit", async () => {
    child.stdin.end("one\r\n\n\u{1f600} two\nthree");
    assert.equal(await text(child.stdout), "one\n\u{1f600} two\nthree\n");
    assert.deepEqual(await closed, [0, null]);
  });

  it("reports a line above the limit and goes on", async () => {
    child.stdin.end(`${"x".repeat(2_000_001)}\nafter\n`);
    assert.equal(await text(child.stdout), "oversize 2000001\nafter\n");
  });

  it("notices the end of its input, and what stands before it, while it takes none", async () => {
    child.stdin.write("flood\n");
    let stderr = "";
    for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
      const isSlow = stderr === "";
      stderr += String(chunk);
      if (isSlow) child.stdin.end("z\n".repeat(20_000));
      if (stderr.includes("end\n")) break;
    }
    child.stderr.resume();
    assert.equal((await text(child.stdout)).split("z").length, 20_001);
  });

  it("does not block the event loop when its reader is slow, nor break what is piped elsewhere meanwhile", async () => {
    child.stdin.write("flood\n");
    let stderr = "";
    for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
      stderr += String(chunk);
      if (stderr === "turn\nturn\nturn\n") break;
    }
    child.stdin.end("last\n");
    child.stderr.resume();
    const lines = (await text(child.stdout)).split("\n");
    assert.ok(lines.length > 10_000);
    assert.deepEqual(lines.slice(-2), ["last", ""]);
    assert.ok(lines.slice(0, -2).every((line) => line === "x".repeat(99)));
  });

  it("keeps its memory flat between a fast writer and a slow reader", async () => {
    const lines = 1_000_000;
    const block = `${"y".repeat(99)}\n`.repeat(1_000);
    const writing = (async () => {
      for (let i = 0; i < lines; i += 1_000) if (!child.stdin.write(block)) await once(child.stdin, "drain");
      child.stdin.end();
    })();
    const peak = text(child.stderr);
    let received = 0;
    for await (const chunk of child.stdout) {
      received += Buffer.byteLength(String(chunk));
      for (let i = 0; i < 3; i++) await nextTurn();
    }
    await writing;
    assert.equal(received, lines * 100);
    assert.ok(Number((await peak).slice("peak ".length)) < 170);
  });

  it("takes the loss of its reader for the end of the input", async () => {
    child.stdout.destroy();
    child.stdin.on("error", () => undefined);
    child.stdin.write("a\n");
    child.stderr.resume();
    assert.deepEqual(await closed, [0, null]);
  });
});

describe("stdioChannel with a file as stdout", () => {
  it("writes everything", async () => {
    const folder = mkdtempSync(join(tmpdir(), "symposium-"));
    const file = openSync(join(folder, "out"), "w");
    const child = spawn(process.execPath, [fixture], { stdio: ["pipe", file, "ignore"] });
    child.stdin?.end("a\nb\n");
    await once(child, "close");
    closeSync(file);
    assert.equal(readFileSync(join(folder, "out"), "utf8"), "a\nb\n");
    rmSync(folder, { recursive: true });
  });
});
