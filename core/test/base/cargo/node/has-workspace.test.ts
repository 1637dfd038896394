import assert from "node:assert/strict";
import { join } from "node:path";
import { hasCargoWorkspace } from "../../../../src/base/cargo/node/has-workspace.js";
import { cargoServices } from "../../../../src/extensions/cargo/node.js";
import { cargoProxy } from "../../../../src/extensions/cargo/cargo-proxy.js";
import { ferrisProxy } from "../../../../src/extensions/ferris/ferris-proxy.js";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import { Watchdog } from "../../../../src/base/node/orphan-watchdog.js";
import { Logger } from "../../../../src/base/logger.js";
import { nobody } from "../../../../src/base/rpc/peer.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { folderWith } from "../../../agents/recommendations/workspace-fixture.js";

describe("what is of Rust", () => {
  it("is a Cargo.toml in a folder, around it or a little below it", async () => {
    await using folder = await folderWith({
      "workspace/Cargo.toml": "",
      "workspace/src/deep/main.rs": "",
      "mixed/backend/api/Cargo.toml": "",
      "web/package.json": "{}",
      "web/node_modules/binding/Cargo.toml": "",
      "web/.cache/x/Cargo.toml": "",
      "folder/Cargo.toml/of.txt": "",
      "deep/a/b/c/Cargo.toml": "",
    });
    const names = ["workspace", "workspace/src/deep", "mixed", "web", "folder", "deep", "none"];
    assert.deepEqual(
      names.filter((name) => hasCargoWorkspace(join(folder.path, name))),
      ["workspace", "workspace/src/deep", "mixed"],
    );
  });

  it("decides in each new session whether Ferris and Cargo have tools", async () => {
    await using folder = await folderWith({ "package.json": "{}" });
    using watchdog = new Watchdog();
    const chain = { client: nobody, successor: nobody, logger: Logger.silent };
    const proxies = [
      ferrisProxy({}, ferrisServices(trusting(), process.env, watchdog)),
      cargoProxy({}, cargoServices({ watchdog }), trusting(), "1.2.3"),
    ].map((proxy) => proxy.connect(chain));
    const session = { sessionId: undefined, cwd: folder.path, signal: new AbortController().signal };
    const names = (): readonly string[] =>
      proxies.flatMap((proxy) => (proxy.mcpServers?.(session) ?? []).map(({ name }) => name));
    assert.deepEqual(names(), []);
    await folder.write({ "Cargo.toml": "" });
    assert.deepEqual(names(), ["ferris", "cargo"]);
  });
});
