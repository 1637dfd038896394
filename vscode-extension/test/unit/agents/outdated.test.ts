import assert from "node:assert/strict";
import { isNewer, outdated, outdatedLine } from "../../../src/features/agents/installations.js";

describe("what is installed and outdated", () => {
  const named = (id: string, version?: string) => ({ id, name: id.toUpperCase(), ...(version && { version }) });

  it("is agents and extensions of which the registry has a newer version, each by its own list", () => {
    const found = outdated({
      installed: [
        { kind: "agent", id: "codex", version: "1.0.0" },
        { kind: "agent", id: "same", version: "2.0.0" },
        { kind: "agent", id: "pinned", version: "1.0.0", pinned: "1.0.0" },
        { kind: "agent", id: "unlisted", version: "1.0.0" },
        { kind: "agent", id: "unknown", version: "1.0.0" },
        { kind: "extension", id: "codex", version: "1.1.0" },
        { kind: "extension", id: "spice", version: "0.9.0" },
      ],
      agents: [named("codex", "1.1.0"), named("same", "2.0.0"), named("pinned", "9.0.0"), named("unknown")],
      extensions: [named("codex", "1.1.0"), named("spice", "1.0.0")],
    });
    assert.deepEqual(
      found.map((one) => [one.kind, outdatedLine(one)]),
      [
        ["agent", "CODEX 1.0.0 → 1.1.0"],
        ["extension", "SPICE 0.9.0 → 1.0.0"],
      ],
    );
  });

  it("is not what is newer than the list that was kept", () => {
    const pairs = [
      ["1.10.0", "1.9.0", true],
      ["1.9.0", "1.10.0", false],
      ["v2.0", "2.0.0", false],
      ["1.0.0", "1.0.0-beta.1", true],
      ["1.0.0-beta.1", "1.0.0", false],
      ["1.2.3.4", "1.2.3", true],
      ["nightly", "1.0.0", true],
      ["nightly", "nightly", false],
    ] as const;
    for (const [version, than, is] of pairs) assert.equal(isNewer(version, than), is, `${version} after ${than}`);
  });
});
