import assert from "node:assert/strict";
import { objectOf } from "../../support/json.js";
import { type Requirement, saidLines } from "../requirement.js";

const envelopes = ["proxy/successor", "_proxy/successor"];

/** A chain of proxies of which the last but one shouts: the proxies sign `_test/echo` with their names. */
interface ProxyRequirement extends Omit<Requirement, "check"> {
  check(client: Parameters<Requirement["check"]>[0], names: readonly string[]): Promise<void>;
}

/** Requirements that apply only to chains with proxies. */
export const proxyChains: readonly ProxyRequirement[] = [
  {
    id: "ACP-PROXY-001",
    tier: "mandatory",
    title: "a request passes the proxies in the order of the command line",
    async check(client, names) {
      await client.initialize();
      assert.equal((await client.request("_test/echo", {})).text, JSON.stringify({ route: names }));
    },
  },
  {
    id: "ACP-PROXY-002",
    tier: "mandatory",
    title: "what a proxy makes of an update is what the client gets",
    async check(client) {
      const sessionId = await client.newSession();
      const { receivedBefore } = await client.prompt(sessionId, "echo softly");
      assert.deepEqual(saidLines(client, sessionId), ["SOFTLY"]);
      assert.equal(receivedBefore, 1);
    },
  },
  {
    id: "ACP-PROXY-003",
    tier: "mandatory",
    title: "the client cannot greet the chain as a proxy",
    async check(client) {
      await client.initialize();
      for (const method of ["proxy/initialize", "_proxy/initialize"]) {
        const { value } = await client.request(method, { protocolVersion: 1 });
        assert.equal(objectOf(value)["code"], -32600, method);
      }
    },
  },
  {
    id: "ACP-PROXY-004",
    tier: "mandatory",
    title: "the client's successor envelopes are refused as requests and dropped as notifications",
    async check(client) {
      await client.initialize();
      for (const method of envelopes) {
        const { value } = await client.request(method, { method: "_test/smuggled", params: {} });
        assert.equal(objectOf(value)["code"], -32600, method);
        client.notify(method, { method: "_test/smuggled", params: {} });
      }
      const received = await client.receivedByAgent();
      assert.equal(received.includes("_test/smuggled") || received.includes("successor"), false);
    },
  },
  {
    id: "ACP-PROXY-005",
    tier: "mandatory",
    title: "the agent sees initialize, never the greeting of proxies",
    async check(client) {
      assert.equal((await client.receivedByAgent()).includes("proxy/"), false);
    },
  },
  {
    id: "ACP-PROXY-006",
    tier: "advisory",
    title: "a second initialize goes through the whole chain again",
    async check(client) {
      await client.initialize();
      const { isError, text } = await client.request("initialize", {
        protocolVersion: 1,
        clientCapabilities: {},
        again: 1,
      });
      assert.equal(isError, false, text);
      assert.ok((await client.receivedByAgent()).includes('"again":1'));
    },
  },
];
