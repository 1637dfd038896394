import assert from "node:assert/strict";
import { readNewComponent } from "../../../src/features/agents/new-component.js";

describe("a component that the user adds", () => {
  const cases = [
    ["executable", "my-agent acp", "my-agent", { executable: { command: "my-agent", args: ["acp"] } }],
    [
      "executable",
      '"C:\\Program Files\\Agent\\agent.exe" --acp',
      "agent",
      { executable: { command: "C:\\Program Files\\Agent\\agent.exe", args: ["--acp"] } },
    ],
    [
      "npx",
      "@scope/my-agent@1.2.3 --acp",
      "scope-my-agent",
      { npx: { package: "@scope/my-agent@1.2.3", args: ["--acp"] } },
    ],
    ["pipx", "my-agent==1.2.3", "my-agent", { pipx: { package: "my-agent==1.2.3" } }],
    ["uvx", "my_agent@1.2.3 acp", "my_agent", { uvx: { package: "my_agent@1.2.3", args: ["acp"] } }],
    ["cargo", "elizacp@12.0.0 acp", "elizacp", { cargo: { crate: "elizacp", version: "12.0.0", args: ["acp"] } }],
  ] as const;
  for (const [source, typed, id, distribution] of cases) {
    it(`is read from ${source}: ${typed}`, () => {
      const read = readNewComponent(source, typed);
      assert.deepEqual("problem" in read ? read : { id: read.id, distribution: read.distribution }, {
        id,
        distribution,
      });
    });
  }

  it("is refused when nothing was typed, and when it is no name", () => {
    assert.deepEqual(readNewComponent("npx", "   "), { problem: "Enter a name or a command line." });
    assert.ok("problem" in readNewComponent("npx", "???"));
  });
});
