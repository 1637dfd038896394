import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { checkLanguageServers } from "../../src/check-servers.js";
import { knownServers } from "../../src/language-servers/known-servers.js";
import { projectRoot } from "../../src/language-servers/server-finder.js";
import { findServer, type FoundServer } from "../../src/language-servers/server-definition.js";
import { TestFolder } from "../support/folders.js";
import { useTestScope } from "../support/test-scope.js";

describe("finding a language server", () => {
  before(function () {
    // The programs here are shell scripts.
    if (process.platform === "win32") this.skip();
  });
  const scope = useTestScope();

  async function folderWith(files: Readonly<Record<string, string>>): Promise<TestFolder> {
    return scope().use(await TestFolder.create(files));
  }

  async function script(path: string, body: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\n${body}\n`);
    await chmod(path, 0o755);
  }

  async function find(name: string, folder: TestFolder, isTrusted = true): Promise<FoundServer | undefined> {
    const path = [join(folder.path, "..", "bin"), join(folder.path, "node_modules", ".bin"), "/usr/bin", "/bin"].join(
      delimiter,
    );
    const surroundings = {
      root: folder.path,
      folder: folder.path,
      isTrusted,
      env: { PATH: path },
      platform: process.platform,
      signal: new AbortController().signal,
    };
    const definition = knownServers.find((one) => one.name === name);
    return definition && findServer(definition, surroundings);
  }

  it("believes a program only when it can tell its version", async () => {
    const folder = await folderWith({ "Cargo.toml": "" });
    await script(
      join(folder.path, "..", "bin", "rust-analyzer"),
      "echo \"error: Unknown binary 'rust-analyzer'\" >&2; exit 1",
    );
    assert.deepEqual(await find("rust-analyzer", folder), {
      kind: "missing",
      detail: `rust-analyzer is not installed for the toolchain of ${folder.path}`,
      remedy: "Run `rustup component add rust-analyzer rust-src`.",
    });
  });

  it("runs nothing of a workspace that is not trusted, also when PATH names it", async () => {
    const folder = await folderWith({ "tsconfig.json": "{}" });
    const ran = join(folder.path, "ran");
    await script(join(folder.path, "node_modules", ".bin", "tsc"), `touch "${ran}"; echo "Version 7.0.2"`);
    const distrusted = await find("typescript", folder, false);
    const hasRun = existsSync(ran);
    const trusted = await find("typescript", folder);
    assert.deepEqual(
      [hasRun, distrusted, trusted?.kind === "found" && trusted.launch.command],
      [
        false,
        {
          kind: "missing",
          detail: "no TypeScript server is installed that runs no project code, which this untrusted folder requires",
          remedy: `Run \`npm install --global typescript@7\`. If you trust its authors, run \`symposium-acp-agent trust ${folder.path}\`.`,
        },
        join(folder.path, "node_modules", ".bin", "tsc"),
      ],
    );
  });

  for (const name of ["rust-analyzer", "pyright", "gopls", "clangd"]) {
    it(`does not even ask ${name} for its version in a folder that is not trusted`, async () => {
      const folder = await folderWith({ "Cargo.toml": "" });
      const ran = join(folder.path, "ran");
      for (const program of [name, "pyright-langserver", "rustc", "rustup"]) {
        await script(join(folder.path, "..", "bin", program), `touch "${ran}"; echo 1.0`);
      }
      assert.deepEqual(await find(name, folder, false), {
        kind: "missing",
        detail: `${name} can run project code, and ${folder.path} isn't trusted`,
        remedy: `If you trust its authors, run \`symposium-acp-agent trust ${folder.path}\`.`,
      });
      assert.equal(existsSync(ran), false);
    });
  }

  it("takes TypeScript's own server for TypeScript 7, and the other one up to 6", async () => {
    const folder = await folderWith({ "tsconfig.json": "{}" });
    const bin = join(folder.path, "..", "bin");
    await script(join(bin, "tsc"), 'echo "Version 7.0.2"');
    await script(join(bin, "typescript-language-server"), "echo 5.3.0");
    const typescript = join(bin, "node_modules", "typescript");
    await mkdir(typescript, { recursive: true });
    await writeFile(join(typescript, "package.json"), '{ "version": "6.0.3" }');
    const found: unknown[] = [];
    for (const version of ["7.0.2", "6.0.3", "5.9.0"]) {
      await folder.write("node_modules/typescript/package.json", `{ "version": "${version}" }`);
      const server = await find("typescript", folder);
      found.push(server?.kind === "found" ? server.launch.name : server);
    }
    assert.deepEqual(found, ["typescript", "typescript-language-server", "typescript-language-server"]);
  });

  it("works in the outermost folder of a project that is in the workspace", async () => {
    const folder = await folderWith({
      "tools/rust/Cargo.toml": "",
      "tools/rust/crates/a/Cargo.toml": "",
      "tools/rust/crates/a/src/lib.rs": "",
    });
    const file = join(folder.path, "tools/rust/crates/a/src/lib.rs");
    const roots = [
      projectRoot(file, folder.path, ["Cargo.toml"]),
      projectRoot(file, folder.path, ["go.mod"]),
      projectRoot("/else/where.rs", folder.path, ["Cargo.toml"]),
    ];
    assert.deepEqual(roots, [join(folder.path, "tools/rust"), folder.path, folder.path]);
  });

  it("is told for each language of a workspace, with the command that installs what is missing", async () => {
    const folder = await folderWith({ "main.zig": "", "b.other": "" });
    const missing = { command: "no-such-zls", languages: { zig: [".zig"] } };
    const there = { command: process.execPath, languages: { other: [".other"] } };
    const languageServers = {
      zls: missing,
      other: there,
      "rust-analyzer": false,
      typescript: false,
      pyright: false,
      gopls: false,
    };
    const signal = new AbortController().signal;
    const checks = await checkLanguageServers({
      folder: folder.path,
      settings: { languageServers, lingerMs: -1, trustedFolders: [folder.path] },
      signal,
    });
    assert.deepEqual(checks, [
      {
        name: "zls",
        status: "missing",
        detail: "no-such-zls is not on PATH",
        remedy: "Check languageServers.zls.command in config.jsonc.",
      },
      { name: "other", status: "ok", detail: process.execPath },
      { name: "clangd", status: "absent", detail: "no files in its languages" },
      {
        name: "settings",
        status: "missing",
        detail: "lingerMs: expected milliseconds, got -1.",
        remedy: "Mend config.jsonc.",
      },
    ]);
  });
});
