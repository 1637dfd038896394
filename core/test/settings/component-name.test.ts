import assert from "node:assert/strict";
import { componentName } from "../../src/settings/component-name.js";

describe("componentName", () => {
  for (const [line, name] of [
    ["opencode acp", "opencode"],
    ["/usr/local/bin/my-agent", "my-agent"],
    ["C:\\tools\\agent.exe acp", "agent"],
    ["npx -y @zed-industries/claude-code-acp@latest --x", "claude-code-acp"],
    ["npx -y -- @google/gemini-cli@latest --experimental-acp", "gemini-cli"],
    ["uvx tool==1.2 acp", "tool"],
    ["pipx run tool", "tool"],
    ["node dist/agent.mjs", "agent"],
    ["node -e process.stdin.resume()//a/b", "node"],
    ["python3 -u -c pass", "python3"],
    ["npx -p tool run-tool", "tool"],
    ["npx", "npx"],
    ["/", "/"],
  ] as const) {
    it(`calls "${line}" ${name}`, () => {
      const [command = "", ...args] = line.split(" ");
      assert.equal(componentName({ command, args, env: {} }), name);
    });
  }
});
