import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { stopDivertedGit } from "../../../src/guard/node/sandbox/stop-diverted-git.js";
import { watchPaths } from "../../../src/guard/node/sandbox/missing-paths.js";

const asRoot = ["--user", "--map-root-user"];

describe("watchPaths", () => {
  if (process.platform !== "linux") {
    it("is tried: NOT HERE, since only the sandbox of Linux uses it");
    return;
  }
  let folder = "";
  beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), "paths-test-")))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it("finds what comes into a folder that replaced the watched one", async () => {
    mkdirSync(join(folder, "inner"));
    const [beside, inner] = [join(folder, "beside"), join(folder, "inner/name")];
    let found: (path: string) => void = () => undefined;
    const next = (): Promise<string> => new Promise((resolve) => (found = resolve));
    const missing = new Map([beside, inner].map((path) => [path, { before: undefined }]));
    using _ = watchPaths(missing, (path) => {
      found(path);
      return undefined;
    });
    renameSync(join(folder, "inner"), join(folder, "away"));
    mkdirSync(join(folder, "inner"));
    const first = next();
    // Once this is found, the watcher knows the new folder.
    writeFileSync(beside, "");
    assert.equal(await first, beside);
    await eventsRead();
    const second = next();
    writeFileSync(inner, "");
    assert.equal(await second, inner);
  });

  /** Resolves once all events of now are read: Node reads them together. */
  async function eventsRead(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  }

  /** The system joins equal events, so these differ. */
  function makeEvents(): void {
    for (let count = 0; count < 5_000; count++) writeFileSync(join(folder, `file-${count % 2}`), "");
  }

  it("looks once for many events", async () => {
    const last = join(folder, "last");
    let looks = 0;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const missing = new Map(["file-0", "last"].map((name) => [join(folder, name), { before: undefined }]));
    using _ = watchPaths(missing, (path) => {
      if (path === last) end();
      else looks++;
      return "again";
    });
    makeEvents();
    writeFileSync(last, "");
    await ended;
    await eventsRead();
    assert.ok(looks < 100, `${looks} looks`);
  });

  it("looks at all that is watched after so many events that some may be missing", async () => {
    await new Promise<void>((flooded) => {
      const watch = watchPaths(
        new Map([[join(folder, "name"), { before: undefined }]]),
        () => "again",
        () => {
          watch[Symbol.dispose]();
          flooded();
        },
      );
      makeEvents();
    });
  });

  it("comes to an end, and looks again, while each look finds another folder in place of the watched one", async () => {
    const [always, inner] = [join(folder, "always"), join(folder, "inner/name")];
    writeFileSync(always, "");
    let looks = 0;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const missing = new Map([always, inner].map((path) => [path, { before: undefined }]));
    mkdirSync(join(folder, "inner"));
    using _ = watchPaths(missing, (path) => {
      if (path === inner) end();
      else if (looks++ < 20_000) {
        renameSync(join(folder, "inner"), join(folder, "away"));
        rmSync(join(folder, "away"), { recursive: true });
        mkdirSync(join(folder, "inner"));
      }
      return path === inner ? undefined : "again";
    });
    assert.ok(looks < 100, `${looks} looks in one turn`);
    looks = 20_000;
    writeFileSync(inner, "");
    await ended;
  });

  // Only a user namespace has a limit of its own.
  const { status, error, stderr } = spawnSync("unshare", [...asRoot, "true"], { encoding: "utf8" });
  const usedUp = "finds what is new if the user's watches are used up";
  if (status !== 0) it(`${usedUp}: NOT HERE, since no user namespace can be made (${error?.message ?? stderr.trim()})`);
  else
    it(usedUp, () => {
      const script = `
      const { watchPaths } = await import(${JSON.stringify(new URL("../../../src/guard/node/sandbox/missing-paths.js", import.meta.url))});
      const path = ${JSON.stringify(join(folder, "name"))};
      setTimeout(() => process.exit(1), 10_000);
      watchPaths(new Map([[path, { before: undefined }]]), () => process.exit(0));
      (await import("node:fs")).writeFileSync(path, "");
    `;
      const setUp = 'echo 0 > /proc/sys/user/max_inotify_watches; exec "$0" "$@"';
      const node = [process.execPath, "--input-type=module", "-e", script];
      execFileSync("unshare", [...asRoot, "/bin/sh", "-c", setUp, ...node]);
    });

  it("keeps git from another folder even if the mode of its own folder keeps the file there", () => {
    const file = join(folder, ".git/commondir");
    mkdirSync(dirname(file));
    writeFileSync(file, "");
    chmodSync(dirname(file), 0o555);
    const noProcess = 2 ** 22 + 1;
    assert.ok(stopDivertedGit(file, noProcess, { entry: lstatSync(file), ends: false }));
    assert.equal(existsSync(file), false);
  });
});
