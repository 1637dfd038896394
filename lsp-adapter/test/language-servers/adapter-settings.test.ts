import assert from "node:assert/strict";
import { parseAdapterSettings } from "../../src/language-servers/adapter-settings.js";
import { nobodyTrusts } from "../support/stage.js";
import { languageIdOf } from "../../src/language-servers/server-definition.js";

describe("the adapter's settings", () => {
  it("know five servers by themselves", () => {
    const { settings, problems } = parseAdapterSettings(undefined);
    const names = settings.servers.map(({ name }) => name);
    assert.deepEqual(
      { names, problems },
      { names: ["rust-analyzer", "typescript", "pyright", "gopls", "clangd"], problems: [] },
    );
  });

  it("put a server of the user before those that are known, and leave out what is false", () => {
    const zls = { command: "zls", languages: { zig: [".zig"] }, rootMarkers: ["build.zig"] };
    const { settings, problems } = parseAdapterSettings({
      languageServers: { zls, clangd: false, gopls: { memoryLimitMiB: 900 } },
    });
    const servers = settings.servers.map(({ name, memoryLimitMiB }) => [name, memoryLimitMiB]);
    assert.deepEqual(
      { servers, problems, zig: settings.servers[0] && languageIdOf(settings.servers[0], "/a/B.ZIG") },
      {
        servers: [
          ["zls", undefined],
          ["rust-analyzer", undefined],
          ["typescript", undefined],
          ["pyright", undefined],
          ["gopls", 900],
        ],
        problems: [],
        zig: "zig",
      },
    );
  });

  it("name each value that cannot be read, and go on without it", () => {
    const { settings, problems } = parseAdapterSettings({
      languageServers: { zls: { args: [] }, pyright: 5 },
      trustedFolders: ["relative"],
      lingerMs: "long",
    });
    assert.deepEqual(
      { problems, lingerMs: settings.lingerMs, servers: settings.servers.length },
      {
        problems: [
          'trustedFolders: expected absolute paths, got "relative".',
          'lingerMs: expected milliseconds, got "long".',
          "languageServers.zls.command: expected the name or the path of a program, got undefined.",
          "languageServers.pyright: expected an object or false, got 5.",
        ],
        lingerMs: 5_000,
        servers: 5,
      },
    );
  });

  it("trust a folder and what is in it, and nothing that only begins with its name", async () => {
    const { settings } = parseAdapterSettings({ trustedFolders: ["/home/me/work"] }, nobodyTrusts);
    const folders = ["/home/me/work", "/home/me/work/app", "/home/me/workshop", "/home/me"];
    assert.deepEqual(await Promise.all(folders.map(settings.isTrusted)), [true, true, false, false]);
  });
});
