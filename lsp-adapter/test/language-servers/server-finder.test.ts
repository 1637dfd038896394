import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openSession, processesOfFolder } from "../support/shared-adapter.js";
import { fakeServer } from "../support/fake-server.js";
import { TestFolder } from "../support/folders.js";
import { parseAdapterSettings } from "../../src/language-servers/adapter-settings.js";
import { ServerFinder } from "../../src/language-servers/server-finder.js";
import type { ServerDefinition } from "../../src/language-servers/server-definition.js";
import { until, useTestScope } from "../support/test-scope.js";

describe("the language server that is installed for a document", () => {
  const scope = useTestScope();
  const { signal } = new AbortController();

  it("is found by a session without a process that stays, and without an adapter", async function () {
    // Running processes are read from /proc.
    if (process.platform !== "linux") this.skip();
    const folder = scope().use(await TestFolder.create({ "a.fake": "", "b.other": "", "c.missing": "" }));
    const missing = { command: "no-such-server", languages: { missing: [".missing"] } };
    const { languageServers } = fakeServer("none");
    const session = scope().use(openSession(folder, { languageServers: { ...languageServers, missing } }));
    const names = ["a.fake", "b.other", "c.missing"];
    const findings = await Promise.all(names.map((name) => session.findServer(folder.uri(name))));
    assert.deepEqual(
      [findings, await processesOfFolder(folder)],
      [
        [
          { kind: "found", name: "fake" },
          { kind: "unknown" },
          {
            kind: "missing",
            reason: "no-such-server is not on PATH. Check languageServers.missing.command in config.jsonc.",
          },
        ],
        [],
      ],
    );
  });

  it("is none where its program does not run", async function () {
    // The program here is a shell script.
    if (process.platform === "win32") this.skip();
    const folder = scope().use(await TestFolder.create({ "main.rs": "" }));
    const bin = join(folder.path, "..", "bin");
    await mkdir(bin);
    await writeFile(join(bin, "rust-analyzer"), "#!/bin/sh\nexit 1\n");
    await chmod(join(bin, "rust-analyzer"), 0o755);
    const { settings } = parseAdapterSettings({ trustedFolders: [folder.path] });
    const finder = new ServerFinder({ folder: folder.path, settings, env: { PATH: bin }, signal });
    const { kind } = await finder.find(folder.uri("main.rs"));
    assert.equal(kind, "missing");
  });

  it("is looked for no longer when the session ends", async function () {
    // Sooner than a look gives up by itself.
    this.timeout(60_000);
    // The program here is a shell script.
    if (process.platform === "win32") this.skip();
    const folder = scope().use(await TestFolder.create({ "main.rs": "" }));
    const bin = join(folder.path, "..", "bin");
    const started = join(bin, "started");
    await mkdir(bin);
    await writeFile(join(bin, "rust-analyzer"), `#!/bin/sh\n: > '${started}'\nexec /bin/sleep 600\n`);
    await chmod(join(bin, "rust-analyzer"), 0o755);
    const end = new AbortController();
    const { settings } = parseAdapterSettings({ trustedFolders: [folder.path] });
    const finder = new ServerFinder({ folder: folder.path, settings, env: { PATH: bin }, signal: end.signal });
    const finding = finder.find(folder.uri("main.rs"));
    await until("the program runs", () => existsSync(started) || undefined);
    end.abort();
    assert.equal((await finding).kind, "missing");
  });

  it("is looked for once by several questions, and failing to look is not the end", async () => {
    let looks = 0;
    const definition: ServerDefinition = {
      name: "one",
      languages: [{ id: "one", extensions: [".one"] }],
      rootMarkers: [],
      runsProject: true,
      find: () => Promise.reject(new Error(`look ${++looks}`)),
    };
    const settings = { servers: [definition], isTrusted: () => Promise.resolve(true) };
    const finder = new ServerFinder({ folder: "/w", settings, env: {}, signal });
    const findings = await Promise.all(["a", "b"].map((name) => finder.find(`file:///w/${name}.one`)));
    const finding = { kind: "missing", reason: "can't search for one: look 1" };
    assert.deepEqual(findings, [finding, finding]);
  });
});
