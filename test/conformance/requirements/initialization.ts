import assert from "node:assert/strict";
import { scriptedAgentCapabilities } from "@symposium-dev/core/testing";
import { objectOf } from "../../support/json.js";
import type { Requirement } from "../requirement.js";

const scriptedMethod = { id: "scripted", name: "Scripted login", description: "Succeeds at once" };

/** Spellings that a parser would change, members that nobody knows. */
const unusualParams =
  '{ "protocolVersion" : 1, "clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,' +
  '"elicitation":{"form":{},"url":{}},"session":{"configOptions":{"boolean":{}}},"unknown":{"u64":18446744073709551615}},' +
  '"clientInfo":{"name":"caf\\u00e9","version":"1.0"},"_meta":{"a":1.0,"b":1E3},"other":null}';

/** How a connection begins. */
export const initialization: readonly Requirement[] = [
  {
    id: "ACP-INIT-001",
    tier: "mandatory",
    title: "refuses a request before initialize with -32600, and stays usable",
    async check(client) {
      const refused = await client.request("session/new", { cwd: "/project", mcpServers: [] });
      assert.equal(objectOf(refused.value)["code"], -32600);
      assert.equal((await client.initialize()).isError, false);
    },
  },
  {
    id: "ACP-INIT-002",
    tier: "mandatory",
    title: "answers initialize with the agent's version, capabilities, methods and name",
    async check(client) {
      const { value } = await client.initialize();
      const capabilities = objectOf(objectOf(value)["agentCapabilities"]);
      const mcpCapabilities = { ...objectOf(capabilities["mcpCapabilities"]) };
      // A conductor adds this one: it carries MCP over ACP for agents that do not.
      delete mcpCapabilities["acp"];
      assert.deepEqual(
        { ...objectOf(value), agentCapabilities: { ...capabilities, mcpCapabilities } },
        {
          protocolVersion: 1,
          agentCapabilities: scriptedAgentCapabilities,
          authMethods: [scriptedMethod],
          agentInfo: { name: "scripted-agent", title: "Scripted agent", version: "1.0.0" },
        },
      );
    },
  },
  {
    id: "ACP-INIT-003",
    tier: "mandatory",
    title: "gives the agent the parameters of initialize byte for byte",
    async check(client) {
      await client.initialize();
      assert.equal((await client.request("initialize", unusualParams)).isError, false);
      assert.ok((await client.receivedByAgent()).includes(`"method":"initialize","params":${unusualParams}}`));
    },
  },
  {
    id: "ACP-INIT-004",
    tier: "mandatory",
    title: "leaves the choice of the protocol version to the agent",
    async check(client) {
      await client.initialize();
      const params = unusualParams.replace('"protocolVersion" : 1', '"protocolVersion":99');
      const { value } = await client.request("initialize", params);
      assert.equal(objectOf(value)["protocolVersion"], 1);
      assert.ok((await client.receivedByAgent()).includes('"protocolVersion":99'));
    },
  },
  {
    id: "ACP-AUTH-001",
    tier: "capability",
    title: "authenticates by a method that the agent offers",
    async check(client) {
      await client.initialize();
      assert.equal((await client.request("authenticate", { methodId: "scripted" })).text, "{}");
    },
  },
  {
    id: "ACP-AUTH-002",
    tier: "capability",
    title: "gives back the agent's refusal of a method that it does not offer",
    async check(client) {
      await client.initialize();
      const { isError, text } = await client.request("authenticate", { methodId: "other" });
      assert.equal(isError, true);
      return [text];
    },
  },
  {
    id: "ACP-AUTH-003",
    tier: "capability",
    title: "logs out",
    async check(client) {
      await client.initialize();
      assert.equal((await client.request("logout", {})).text, "{}");
    },
  },
];
