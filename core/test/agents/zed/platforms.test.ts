import assert from "node:assert/strict";
import { type PlatformRow, releaseScript } from "./release-scripts.js";

const { platforms } = await releaseScript<{ platforms: readonly PlatformRow[] }>("platforms.mjs");

describe("the table of platforms", () => {
  it("has the archives that the documentation names, and those of the two newer platforms", () => {
    assert.deepEqual(
      platforms.map(({ archive }) => archive),
      [
        "symposium-darwin-arm64.tar.gz",
        "symposium-darwin-x64.tar.gz",
        "symposium-linux-x64.tar.gz",
        "symposium-linux-arm64.tar.gz",
        "symposium-linux-x64-musl.tar.gz",
        "symposium-linux-arm64-musl.tar.gz",
        "symposium-windows-x64.zip",
        "symposium-windows-arm64.zip",
      ],
    );
  });

  it("covers every platform of the registry and of Zed once", () => {
    const six = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-aarch64`, `${system}-x86_64`]);
    for (const consumer of ["registry", "zed"] as const) {
      assert.deepEqual(platforms.flatMap((row) => row[consumer] ?? []).sort(), six);
    }
  });

  it("gives no two rows one name at a consumer", () => {
    for (const consumer of ["name", "archive", "vsix", "bun"] as const) {
      assert.equal(new Set(platforms.map((row) => row[consumer])).size, platforms.length, consumer);
    }
  });
});
