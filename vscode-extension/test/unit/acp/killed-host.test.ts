import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const host = fileURLToPath(new URL("./host-main.js", import.meta.url));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("agents of an extension host that is killed", () => {
  it("are gone soon after, however stubborn they are", async () => {
    const process_ = fork(host, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const pids = await new Promise<unknown>((resolve) => process_.once("message", resolve));
    assert.ok(Array.isArray(pids) && pids.length > 0);
    const alive = (): unknown[] => pids.filter((pid) => typeof pid === "number" && isAlive(pid));
    assert.equal(alive().length, pids.length);
    process_.kill("SIGKILL");
    await once(process_, "exit");
    for (let rounds = 0; rounds < 2_000 && alive().length > 0; rounds++) await delay(20);
    assert.deepEqual(alive(), []);
  });
});
