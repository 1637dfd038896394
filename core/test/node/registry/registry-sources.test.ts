import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registrySources } from "../../../src/node/registry/catalogue-source.js";
import { RegistryServer } from "./registry-server.js";

describe("registrySources", () => {
  let server: RegistryServer;
  let configFolder: string;
  beforeEach(async () => {
    server = await RegistryServer.open();
    configFolder = mkdtempSync(join(tmpdir(), "sources-"));
    server.serve("/fallback", { agents: [] });
    server.serve("/extensions", { extensions: [] });
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(configFolder, { recursive: true });
  });

  async function requests(registry: string, fallback: string, extensions: string): Promise<readonly string[]> {
    const [registryUrl, registryFallbackUrl, extensionRegistryUrl] = [registry, fallback, extensions].map((path) =>
      path === "" ? "" : server.address(path),
    ) as [string, string, string];
    const settings = { registryUrl, registryFallbackUrl, extensionRegistryUrl };
    await Promise.all(registrySources({ settings, configFolder, freshMs: 0 }).map((source) => source.load()));
    return server.requests.splice(0).sort();
  }

  it("ask the addresses of the settings, and keep each list in a file of its own", async () => {
    assert.deepEqual(await requests("/none", "/fallback", "/extensions"), [
      "GET /extensions",
      "GET /fallback",
      "GET /none",
    ]);
    assert.deepEqual(readdirSync(join(configFolder, "cache")).sort(), ["extensions.json", "registry.json"]);
  });

  it("ask nobody for what is switched off, the fallback neither", async () => {
    assert.deepEqual(await requests("", "/fallback", ""), []);
    assert.deepEqual(await requests("/none", "", ""), ["GET /none"]);
  });
});
