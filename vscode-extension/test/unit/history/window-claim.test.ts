import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WindowClaim } from "../../../src/features/history/window-claim.js";

const rounds = 300;

/** The process of a window. */
class WindowProcess implements AsyncDisposable {
  readonly #child;
  readonly #answers: AsyncIterator<string>;

  constructor(storage: string) {
    const script = fileURLToPath(new URL("window-process.js", import.meta.url));
    this.#child = spawn(process.execPath, [script, storage], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async claims(tabId: string): Promise<boolean> {
    this.#child.stdin.write(`${tabId}\n`);
    const { value } = (await this.#answers.next()) as IteratorResult<string, undefined>;
    assert.ok(value === "ours" || value === "other", value);
    return value === "ours";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }
}

describe("what a window claims", function () {
  this.timeout(120_000);
  let storage: string;
  beforeEach(async () => {
    storage = await mkdtemp(join(tmpdir(), "symposium-claim-"));
  });
  afterEach(() => rm(storage, { recursive: true, force: true }));

  it("is one window's, also when two want it at once after one that was killed", async () => {
    const tabs = Array.from({ length: rounds }, (_, number) => `tab-${number}`);
    {
      await using killed = new WindowProcess(storage);
      for (const tab of tabs) assert.equal(await killed.claims(tab), true);
    }
    await using first = new WindowProcess(storage);
    await using second = new WindowProcess(storage);
    const owners: number[] = [];
    for (const tab of tabs) {
      const answers = await Promise.all([first.claims(tab), second.claims(tab)]);
      owners.push(answers.filter((isOurs) => isOurs).length);
    }
    assert.deepEqual(owners, Array<number>(rounds).fill(1));
  });

  it("is asked for once, however often, and free when the window closes", async () => {
    const folder = join(storage, "tab");
    {
      await using window = new WindowClaim();
      assert.deepEqual(await Promise.all([window.claim(folder), window.claim(folder)]), [true, true]);
      await using other = new WindowClaim();
      assert.equal(await other.claim(folder), false);
      await window.release(folder);
      assert.equal(await other.claim(folder), true);
      assert.equal(await window.claim(folder), false);
    }
    assert.deepEqual(await readdir(folder), []);
  });
});
