import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CatalogueSource,
  type LoadedCatalogue,
  registrySources,
} from "../../../src/agents/registry/node/catalogue-source.js";
import { describeAge, type ListPlace } from "../../../src/agents/registry/node/published-list.js";
import { publishedList } from "./published-list.js";
import { RegistryServer } from "./registry-server.js";

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

describe("CatalogueSource", () => {
  let server: RegistryServer;
  let folder: string;
  beforeEach(async () => {
    server = await RegistryServer.open();
    folder = mkdtempSync(join(tmpdir(), "catalogue-"));
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Loads at a time in ms after {@link start}; the paths are on the server. */
  function load(paths: readonly string[], ms = 0, options: Partial<ListPlace> = {}) {
    return new CatalogueSource({
      addresses: paths.map((path) => server.address(path)),
      cacheFile: join(folder, "cache", "registry.json"),
      timeoutMs: 30_000,
      now: () => new Date(start + ms),
      ...options,
    }).load();
  }

  function summary({ catalogue, from, fetchedAt, warnings }: LoadedCatalogue): unknown[] {
    const texts = warnings.map((line) => line.replaceAll(server.address(""), ""));
    return [catalogue.agents.length, from, fetchedAt && (fetchedAt.getTime() - start) / day, ...texts];
  }

  function listOf(...ids: string[]): object {
    return { version: "1.0.0", agents: ids.map((id) => ({ id, distribution: { npx: { package: id } } })) };
  }

  it("fetches the whole list once, however often it is asked", async () => {
    server.serve("/list", publishedList());
    const source = new CatalogueSource({ addresses: [server.address("/list")], cacheFile: join(folder, "r.json") });
    const [first, second] = await Promise.all([source.load(), source.load()]);
    assert.deepEqual([first.catalogue.agents.length, first.from, first.warnings], [39, "network", []]);
    assert.deepEqual([second, await source.load()], [first, first]);
    assert.deepEqual(server.requests, ["GET /list"]);
  });

  it("asks the second address only when the first does not answer with a list", async () => {
    server.serve("/second", listOf("a"));
    assert.deepEqual(summary(await load(["/first", "/second"])), [1, "network", 0]);
    server.serve("/first", listOf("a", "b"));
    assert.deepEqual(summary(await load(["/first", "/second"])), [2, "network", 0]);
    assert.deepEqual(server.requests, ["GET /first", "GET /second", "GET /first"]);
  });

  it("uses the list that was kept while there is no network, and says how old it is", async () => {
    server.serve("/list", publishedList());
    await load(["/list"]);
    server.answer("/list", (request) => request.socket.destroy());
    const loaded = await load(["/list"], 3 * day);
    assert.deepEqual(summary(loaded).slice(0, 3), [39, "cache", 0]);
    assert.match(loaded.warnings[0] ?? "", /^registry: Can't fetch .*\/list/);
    assert.deepEqual(loaded.warnings.slice(1), ["registry: using the list from 3 days ago."]);
  });

  it("is empty, with a warning, when there is neither network nor kept list", async () => {
    assert.deepEqual(summary(await load(["/list", "/other"])), [
      0,
      "none",
      undefined,
      "registry: /list answered 404 Not Found.",
      "registry: /other answered 404 Not Found.",
      "registry: no list is stored either, so only built-in and configured entries are available.",
    ]);
  });

  const bad = [
    ["half of a list", '{"agents":['],
    ["a page of a captive portal", "<!doctype html><title>Sign in</title>"],
    ["another JSON", { error: "over quota" }],
    ["a list of which nothing can be used", { agents: [{ id: "A B" }, 7] }],
    ["more than it may be", { agents: [], padding: "x".repeat(20_000) }],
  ] as const;
  for (const [what, value] of bad) {
    it(`keeps the last list when the answer is ${what}`, async () => {
      server.serve("/list", listOf("a"));
      await load(["/list"]);
      server.serve("/list", value);
      const loaded = await load(["/list"], day / 2, { maxBytes: 10_000 });
      assert.deepEqual(summary(loaded).slice(0, 3), [1, "cache", 0]);
      assert.equal(loaded.warnings.at(-1), "registry: using the list from 12 hours ago.");
    });
  }

  it("accepts a list that has become empty", async () => {
    server.serve("/list", listOf("a"));
    await load(["/list"]);
    server.serve("/list", listOf());
    assert.deepEqual(summary(await load(["/list"], day)), [0, "network", 1]);
  });

  it("does not transfer an unchanged list again, and takes note of the day", async () => {
    server.serve("/list", listOf("a"), '"tag"');
    await load(["/list"]);
    assert.deepEqual(summary(await load(["/list"], 5 * day)), [1, "network", 5]);
    server.answer("/list", (_, response) => response.writeHead(500).end());
    assert.deepEqual(summary(await load(["/list"], 6 * day)), [
      1,
      "cache",
      5,
      "registry: /list answered 500 Internal Server Error.",
      "registry: using the list from 1 day ago.",
    ]);
  });

  it("uses a list that is fresh enough without asking, unless its date is in the future", async () => {
    server.serve("/list", listOf("a"));
    await load(["/list"], 10 * day);
    const freshMs = 2 * day;
    assert.deepEqual(summary(await load(["/list"], 11 * day, { freshMs })), [1, "cache", 10]);
    assert.equal(server.requests.length, 1);
    await load(["/list"], 12 * day, { freshMs });
    await load(["/list"], 0, { freshMs });
    assert.equal(server.requests.length, 3);
  });

  it("ignores a kept list of another address, and one that is broken", async () => {
    server.serve("/old", listOf("a"));
    await load(["/old"]);
    assert.deepEqual(summary(await load(["/new"])).slice(0, 2), [0, "none"]);
    const file = join(folder, "cache", "registry.json");
    const text = readFileSync(file, "utf8");
    for (const broken of ["", text.slice(0, -20), "[]", text.replace("2026", "then"), `{"text":7}`]) {
      writeFileSync(file, broken);
      server.answer("/old", (_, response) => response.writeHead(500).end());
      assert.deepEqual(summary(await load(["/old"])).slice(0, 2), [0, "none"], broken);
    }
    server.serve("/old", listOf("a", "b"));
    assert.deepEqual(summary(await load(["/old"])), [2, "network", 0]);
  });

  it("brings the list also where it cannot be kept", async () => {
    server.serve("/list", listOf("a"));
    writeFileSync(join(folder, "cache"), "");
    const loaded = await load(["/list"]);
    assert.deepEqual(summary(loaded).slice(0, 3), [1, "network", 0]);
    assert.match(loaded.warnings.join(), /^registry: the list can't be stored in /);
  });

  it("keeps one file and nothing beside it, also when several write at once", async () => {
    server.serve("/list", publishedList());
    const all = await Promise.all(Array.from({ length: 8 }, () => load(["/list"])));
    assert.ok(all.every(({ warnings }) => warnings.length === 0));
    assert.deepEqual(readdirSync(join(folder, "cache")), ["registry.json"]);
    assert.deepEqual(summary(await load(["/list"], 0, { freshMs: 1 })), [39, "cache", 0]);
  });

  it("asks nobody when there is no address", async () => {
    assert.deepEqual(summary(await load([])), [0, "none", undefined]);
  });
});

describe("describeAge", () => {
  for (const [ms, text] of [
    [-5, "less than a minute"],
    [59_999, "less than a minute"],
    [60_000, "1 minute"],
    [7_199_999, "1 hour"],
    [day, "1 day"],
    [400 * day, "400 days"],
  ] as const) {
    it(`calls ${ms} ms ${text}`, () => assert.equal(describeAge(ms), text));
  }
});

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
