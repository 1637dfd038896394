import assert from "node:assert/strict";
import { readAgentText } from "../../src/agents/node/find-agent.js";

describe("a component that cannot be read", () => {
  const messageFor = (text: string): string => {
    try {
      readAgentText(text);
    } catch (error) {
      return String(error);
    }
    return "";
  };

  it("is said without the environment that its JSON has", () => {
    const message = messageFor('{"command": 5, "env": {"PLAIN": "hunter2"}}');
    assert.match(message, /--agent \{…\}: In the component's JSON, line 1, column \d+: "command" must be/);
    assert.doesNotMatch(message, /hunter2/);
  });

  it("is named by its words, credentials masked", () => {
    const message = messageFor("API_KEY=hunter2 'agent");
    assert.match(message, /--agent API_KEY=\[redacted\] 'agent: /);
  });
});
