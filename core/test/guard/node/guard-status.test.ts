import assert from "node:assert/strict";
import { builtInAgent } from "../../../src/agents/registry/built-in-agents.js";
import { sandboxNotes } from "../../../src/guard/node/guard-status.js";

describe("what the user of an agent should know of its sandbox", () => {
  const seatbelt = { isThere: true, kind: "seatbelt", program: "/usr/bin/sandbox-exec", isRoot: false } as const;
  const bubblewrap = { ...seatbelt, kind: "bubblewrap" } as const;

  it("is that OpenCode does not work where programs open no ports, and what is said of the sandbox itself", () => {
    const [opencode, codex] = [builtInAgent("opencode"), builtInAgent("codex")];
    assert.deepEqual(sandboxNotes({ ...seatbelt, note: "not tested" }, opencode), [
      "OpenCode does not work in the sandbox: it needs to open a port, which the macOS sandbox doesn't allow.",
      "That is not tested.",
    ]);
    assert.deepEqual(
      [sandboxNotes(bubblewrap, opencode), sandboxNotes(seatbelt, codex), sandboxNotes(seatbelt, undefined)],
      [[], [], []],
    );
  });
});
